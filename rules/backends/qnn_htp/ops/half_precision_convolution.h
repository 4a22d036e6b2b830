// Float activations with weights of 8, 4 or 2 bits, and a scale per channel or per block: which convolutions of 1x1 are
// taken.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_HALF_PRECISION_CONVOLUTION_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_HALF_PRECISION_CONVOLUTION_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kHalfPrecisionConvolution;  // DT210
extern const RuleInfo kHalfPrecisionBlocks;       // DT211

void CheckHalfPrecisionConvolution(const BackendOp& op, const Target& target, OpReport& report);
void CheckHalfPrecisionBlocks(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_HALF_PRECISION_CONVOLUTION_H_
