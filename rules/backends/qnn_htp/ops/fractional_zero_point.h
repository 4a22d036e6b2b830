#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FRACTIONAL_ZERO_POINT_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FRACTIONAL_ZERO_POINT_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kFractionalZeroPoint;  // QS203
void CheckFractionalZeroPoint(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FRACTIONAL_ZERO_POINT_H_
