// FullyConnected applies per-channel scales to its outputs, whatever axis is declared.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FULLY_CONNECTED_AXIS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FULLY_CONNECTED_AXIS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kFullyConnectedAxis;  // AX201
void CheckFullyConnectedAxis(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FULLY_CONNECTED_AXIS_H_
