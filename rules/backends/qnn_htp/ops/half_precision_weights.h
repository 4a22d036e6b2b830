// Float activations with 8-bit weights: Conv2d takes 1x1 filters only, MatMul cannot be prepared.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_HALF_PRECISION_WEIGHTS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_HALF_PRECISION_WEIGHTS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kHalfPrecisionWeights;  // DT204
void CheckHalfPrecisionWeights(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_HALF_PRECISION_WEIGHTS_H_
