#include "rules/backends/qnn_htp/ops/block_weights.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kBlockWeights = {
    "AX203",
    "block-weights",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Validation accepts block encodings widely; the graph can then not be prepared, because only few "
    "operators have a kernel that applies a scale per block.",
    "Use per-channel weights, or the nested form (LPBQ: a scale per channel, a small integer per "
    "block) where it is supported.",
    "Fires: TransposeConv2d with LPBQ weights. Does not: Conv2d with LPBQ weights and integer "
    "activations.",
};

void CheckBlockWeights(const BackendOp& op, const Target& target, OpReport& report) {
  if (!HasWeight(op)) return;
  const BackendTensor& activation = Input(op, 0);
  const BackendTensor& weight = Input(op, 1);
  if (!IsBlocked(weight)) return;
  const bool nested = weight.encoding == Encoding::kBlockExpansion;
  const std::string observed = absl::StrCat(nested ? "nested block scales (LPBQ)" : "plain block scales", " with ",
                                            db::ElementTypeName(activation.type), " activations");
  if (nested) {
    if (!Is(op, {"Conv2d", "FullyConnected", "MatMul"})) {
      report.Add(kBlockWeights, In(1), observed, "only Conv2d, FullyConnected and MatMul have LPBQ kernels");
    } else if (IsFloat(activation)) {
      report.Add(kBlockWeights, In(1), observed, "LPBQ weights need integer activations");
    }
    return;
  }
  if (op.name == "FullyConnected" && IsFloat(activation)) {
    if (target.arch != 0 && target.arch < 69) {
      report.Add(kBlockWeights, In(1), absl::StrCat(observed, " on V", target.arch), "this needs V69");
    }
    return;
  }
  if (op.name == "Conv2d" && weight.dims.size() == 4 && weight.dims[0] == 1 && weight.dims[1] == 1) return;
  report.Add(kBlockWeights, In(1), observed,
             "plain block scales have a kernel in FullyConnected with float activations and in 1x1 Conv2d");
}

}  // namespace quantgate::qnn_htp
