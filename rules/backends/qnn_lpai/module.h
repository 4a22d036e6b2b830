// The LPAI backend of QNN: the shared QNN lowering, judged by the vendor's document alone. Nobody without the hardware
// can ask it, so nothing here is measured.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_LPAI_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_LPAI_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/engine/module.h"

namespace quantgate::qnn_lpai {

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables);

// Rules that are not those of tables.
std::vector<const RuleInfo*> OwnRules();

}  // namespace quantgate::qnn_lpai

#endif  // QUANTGATE_RULES_BACKENDS_QNN_LPAI_MODULE_H_
