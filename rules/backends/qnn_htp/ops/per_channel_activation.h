// An activation with a scale per channel.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_ACTIVATION_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_ACTIVATION_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kPerChannelActivation;  // AX205
void CheckPerChannelActivation(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_ACTIVATION_H_
