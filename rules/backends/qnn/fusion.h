// Two nodes of a file that are one QNN operator.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_FUSION_H_
#define QUANTGATE_RULES_BACKENDS_QNN_FUSION_H_

#include "rules/engine/context.h"
#include "rules/graph/resolve.h"

namespace quantgate::qnn {

// Training leaves a batch norm behind a convolution whose own output is not quantized; prepare_qat_pt2e makes them one
// convolution with the batch norm's output. (Files of other origins keep both.)

// The batch norm's output; null when the convolution keeps its own.
const Operand* BatchNormOutputOf(const CheckContext& context, const ResolvedOp& convolution);
// Whether a convolution has taken the batch norm in.
bool IsInConvolution(const CheckContext& context, const ResolvedOp& batch_norm);

// Whether the operator is more, or less, than its node: what holds for operators like it need not hold for it.
inline bool IsFused(const CheckContext& context, const ResolvedOp& op) {
  if (op.op == nullptr) return false;
  return op.op->id == OpId::kBatchNorm ? IsInConvolution(context, op) : BatchNormOutputOf(context, op) != nullptr;
}

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_FUSION_H_
