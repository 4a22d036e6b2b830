// MatMul of rank 4 with an unsigned first and a signed run-time second operand computes garbage.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SIGNED_OPERAND_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SIGNED_OPERAND_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kSignedOperand;  // DT206
void CheckSignedOperand(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SIGNED_OPERAND_H_
