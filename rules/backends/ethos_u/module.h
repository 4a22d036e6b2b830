// Arm's Ethos-U NPUs, as Vela places LiteRT files on them: what an NPU does not take is left to the CPU (the kernels of
// LiteRT for microcontrollers), and some operators end the compilation.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/engine/module.h"

namespace quantgate::ethos_u {

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables);

// Rules that are not those of tables.
std::vector<const RuleInfo*> OwnRules();

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_MODULE_H_
