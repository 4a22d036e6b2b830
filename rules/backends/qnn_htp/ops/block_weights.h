// Block-wise weights: nested scales (LPBQ) for Conv2d, FullyConnected and MatMul with integer activations, plain
// block scales for FLOAT_16 FullyConnected from V69 and 1x1 Conv2d.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BLOCK_WEIGHTS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BLOCK_WEIGHTS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kBlockWeights;  // AX203
void CheckBlockWeights(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BLOCK_WEIGHTS_H_
