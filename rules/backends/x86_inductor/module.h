// TorchInductor on x86: quantized patterns that match become oneDNN kernels, the others run in float.
#ifndef QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/engine/module.h"

namespace quantgate::x86_inductor {

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables);

// Rules that are not those of tables.
std::vector<const RuleInfo*> OwnRules();

}  // namespace quantgate::x86_inductor

#endif  // QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_MODULE_H_
