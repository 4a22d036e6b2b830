// The 8-bit Softmax kernel ignores the zero point of its output.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SOFTMAX_ZERO_POINT_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SOFTMAX_ZERO_POINT_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kSoftmaxZeroPoint;  // FX203
void CheckSoftmaxZeroPoint(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SOFTMAX_ZERO_POINT_H_
