// Targets of a waivers file, which may go by other names than in reports.
#ifndef QUANTGATE_CLIENT_CLI_WAIVER_TARGETS_H_
#define QUANTGATE_CLIENT_CLI_WAIVER_TARGETS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/gate/waivers.h"
#include "quantgate/v1/report.pb.h"
#include "rules/engine/module.h"

namespace quantgate {

// Gives targets that are called by an alias or in other case the names of reports, and fills
// WaiverEntry::unknown_targets: patterns that match neither a target of these reports nor one that the modules know. A
// waiver for such a one waives nothing, whatever is checked.
void ResolveTargets(Waivers& waivers, absl::Span<const v1::Report> reports, ModuleRegistry& modules);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_WAIVER_TARGETS_H_
