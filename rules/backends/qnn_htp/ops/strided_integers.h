// StridedSlice of INT_32 has no kernel for some steps.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_STRIDED_INTEGERS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_STRIDED_INTEGERS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kStridedIntegers;  // GS205
void CheckStridedIntegers(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_STRIDED_INTEGERS_H_
