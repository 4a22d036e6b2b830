// Tensors without elements are validated and not prepared.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_EMPTY_TENSOR_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_EMPTY_TENSOR_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kEmptyTensor;  // GS207
void CheckEmptyTensor(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_EMPTY_TENSOR_H_
