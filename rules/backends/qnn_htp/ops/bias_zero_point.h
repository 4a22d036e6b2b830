// Convolutions with per-channel weights need a bias with zero point 0 in any type.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BIAS_ZERO_POINT_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BIAS_ZERO_POINT_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kBiasZeroPoint;  // QS201
void CheckBiasZeroPoint(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BIAS_ZERO_POINT_H_
