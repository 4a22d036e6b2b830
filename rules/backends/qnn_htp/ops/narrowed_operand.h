// The second operand of a 16-bit product that the toolchain narrows to 8 bits.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_NARROWED_OPERAND_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_NARROWED_OPERAND_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kNarrowedOperand;  // DT209
void CheckNarrowedOperand(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_NARROWED_OPERAND_H_
