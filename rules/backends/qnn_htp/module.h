// Qualcomm's Hexagon Tensor Processor, as QNN's HTP backend drives it.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_MODULE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "rules/engine/module.h"

namespace quantgate::qnn_htp {

// `tables` must outlive the module. FAILED_PRECONDITION when it has no table of this backend.
absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_MODULE_H_
