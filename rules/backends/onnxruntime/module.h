// ONNX Runtime's CPU execution provider: every node of an ONNX model needs a kernel, or the session fails.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/engine/module.h"

namespace quantgate::onnxruntime {

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables);

// Rules that are not those of tables.
std::vector<const RuleInfo*> OwnRules();

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_MODULE_H_
