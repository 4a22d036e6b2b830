// Gamma of the norms and the slope of Prelu: per tensor only.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_PARAMETERS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_PARAMETERS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kPerChannelParameters;  // AX204
void CheckPerChannelParameters(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_PARAMETERS_H_
