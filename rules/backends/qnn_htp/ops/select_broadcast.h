// ElementWiseSelect of signed data that is broadcast is validated and not prepared.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SELECT_BROADCAST_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SELECT_BROADCAST_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kSelectBroadcast;  // GS209
void CheckSelectBroadcast(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_SELECT_BROADCAST_H_
