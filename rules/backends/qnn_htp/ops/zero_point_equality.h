// Operators that move integers need the same zero point on both sides.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_ZERO_POINT_EQUALITY_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_ZERO_POINT_EQUALITY_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kZeroPointEquality;  // SH201
void CheckZeroPointEquality(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_ZERO_POINT_EQUALITY_H_
