// Targets of a waivers file that are none: a waiver for one waives nothing, whatever is checked.
#ifndef QUANTGATE_CLIENT_CLI_WAIVER_TARGETS_H_
#define QUANTGATE_CLIENT_CLI_WAIVER_TARGETS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/gate/waivers.h"
#include "quantgate/v1/report.pb.h"
#include "rules/engine/module.h"

namespace quantgate {

// Fills WaiverEntry::unknown_targets: patterns that match neither a target of these reports nor one that the modules
// know.
void FindUnknownTargets(Waivers& waivers, absl::Span<const v1::Report> reports, ModuleRegistry& modules);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_WAIVER_TARGETS_H_
