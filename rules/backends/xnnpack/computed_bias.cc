#include "rules/backends/xnnpack/computed_bias.h"

#include "rules/backends/coverage.h"
#include "rules/backends/xnnpack/gemm.h"

namespace quantgate::xnnpack {

void NoteComputedBias(const CheckContext& context, FindingSink& sink) {
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (!HasComputedBias(context, op) || !ComputesOnIntegers(context, op.node)) continue;
    sink.NotChecked(&kUnclearLowering, op.node,
                    "its bias is not a constant: whether what ExecuTorch leaves of the quantized layer loads, and "
                    "computes the model's numbers, is not known");
  }
}

}  // namespace quantgate::xnnpack
