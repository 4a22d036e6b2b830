// FullyConnected with per-channel weights that are no constant is accepted and computes wrong results.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_RUN_TIME_WEIGHTS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_RUN_TIME_WEIGHTS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kRunTimeWeights;  // AX202
void CheckRunTimeWeights(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_RUN_TIME_WEIGHTS_H_
