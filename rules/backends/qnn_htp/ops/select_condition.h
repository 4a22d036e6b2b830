// ElementWiseSelect with an INT_32 condition selects among quantized data on paper only.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SELECT_CONDITION_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SELECT_CONDITION_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kSelectCondition;  // DT207
void CheckSelectCondition(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SELECT_CONDITION_H_
