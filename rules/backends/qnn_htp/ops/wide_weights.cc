#include "rules/backends/qnn_htp/ops/wide_weights.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kWideWeights = {
    "DT201",
    "wide-weights-arch",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "Multiplying 16 by 16 bits needs hardware that came with V73. Older HTPs refuse the operator when "
    "the graph is built, whatever the table of the operator says.",
    "Use 8-bit weights (for LayerNorm and Batchnorm an unsigned 8-bit gamma), or drop the SoC from "
    "the targets.",
    "Fires: Batchnorm with UFIXED_POINT_16 input and SFIXED_POINT_16 weight on V69. Does not: the "
    "same on V73.",
};

void CheckWideWeights(const BackendOp& op, const Target& target, OpReport& report) {
  if (target.arch == 0 || target.arch >= 73) return;
  if (!Is(op, {"Conv2d", "DepthWiseConv2d", "TransposeConv2d", "FullyConnected", "MatMul", "LayerNorm", "Batchnorm"})) {
    return;
  }
  const BackendTensor& activation = Input(op, 0);
  const BackendTensor& weight = Input(op, 1);
  if (!IsFixed16(activation) || !IsFixed16(weight)) return;
  report.Add(kWideWeights, In(1), absl::StrCat(TypeText(activation), " with ", TypeText(weight), " on V", target.arch),
             "16-bit weights with 16-bit activations need V73");
}

}  // namespace quantgate::qnn_htp
