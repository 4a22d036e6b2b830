// Signed 2-bit weights of Conv2d need V73.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_TWO_BIT_CONVOLUTION_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_TWO_BIT_CONVOLUTION_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kTwoBitConvolution;  // DT202
void CheckTwoBitConvolution(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_TWO_BIT_CONVOLUTION_H_
