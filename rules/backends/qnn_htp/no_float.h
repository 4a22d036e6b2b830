// Floats on SoCs whose HTP computes integers alone.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_NO_FLOAT_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_NO_FLOAT_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kNoFloat;  // DT106

void CheckNoFloat(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_NO_FLOAT_H_
