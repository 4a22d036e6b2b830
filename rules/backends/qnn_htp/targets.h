// Names of HTP targets: SoCs (and toolchains' names for them), bare archs, SDK versions.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_TARGETS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_TARGETS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/engine/module.h"

namespace quantgate::qnn_htp {

inline constexpr char kBackend[] = "qnn_htp";

// NOT_FOUND: no such SoC or arch (with the nearest names), or a SoC without HTP. INVALID_ARGUMENT: neither SoC nor
// arch, or a number that is both an arch and a SoC's id. The SDK: none given, the newest table; a prefix ("2.25"), the
// newest version under it; otherwise the newest table that is not newer, with the version asked for kept in
// Target.name; older than all: Target.unknown_reason.
absl::StatusOr<Target> ResolveTarget(const db::TableSource& tables, const TargetName& name);

std::vector<Target> AllTargets(const db::TableSource& tables);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_TARGETS_H_
