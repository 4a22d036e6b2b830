// LiteRT's interpreter on the CPU. `litert/reference`: its built-in reference kernels, nothing else. `litert/xnnpack`:
// as it comes, with the XNNPACK delegate in front: what the delegate does not take, the built-in kernels run.
#ifndef QUANTGATE_RULES_BACKENDS_LITERT_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_LITERT_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/engine/module.h"

namespace quantgate::litert {

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables);

// Rules that are not those of tables.
std::vector<const RuleInfo*> OwnRules();

}  // namespace quantgate::litert

#endif  // QUANTGATE_RULES_BACKENDS_LITERT_MODULE_H_
