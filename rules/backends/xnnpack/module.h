// XNNPACK as ExecuTorch drives it: its partitioner delegates what it can, the rest stays with the portable kernels.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables);

// Rules that are not those of tables.
std::vector<const RuleInfo*> OwnRules();

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_MODULE_H_
