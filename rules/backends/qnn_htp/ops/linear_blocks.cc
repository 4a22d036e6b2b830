#include "rules/backends/qnn_htp/ops/linear_blocks.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kLinearBlocks = {
    "AX209",
    "linear-blocks",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The library validates a FullyConnected with block scales (LPBQ) of any size, and cannot prepare one that has more "
    "than 256 outputs and more outputs than inputs: \"could not create op\". The size of the blocks makes no "
    "difference, nor does the arch.",
    "Scale the layer per channel, write it as a convolution of 1 by 1, or split its outputs over two layers.",
    "Fires: 64 inputs and 257 outputs in blocks. Does not: 64 and 256; 384 and 384; 1024 and 516.",
};

void CheckLinearBlocks(const BackendOp& op, const Target&, OpReport& report) {
  constexpr int64_t kMostOutputs = 256;
  const BackendTensor& weight = Input(op, 1);
  if (op.name != "FullyConnected" || weight.encoding != Encoding::kBlockExpansion || IsFloat(Input(op, 0))) return;
  if (weight.dims.size() != 2 || weight.dims[0] < 0 || weight.dims[1] < 0) {
    report.NotChecked(kLinearBlocks, "FullyConnected: the sizes of the weight are not known");
    return;
  }
  const int64_t outputs = weight.dims[0];
  const int64_t inputs = weight.dims[1];
  if (outputs <= kMostOutputs || outputs <= inputs) return;
  report.Add(kLinearBlocks, In(1), absl::StrCat(outputs, " outputs of ", inputs, " inputs in blocks"),
             absl::StrCat("with blocks there can be ", kMostOutputs, " outputs, or as many as inputs"),
             v1::Source::MEASURED, kMeasuredByLowering);
}

}  // namespace quantgate::qnn_htp
