#include "rules/backends/qnn_htp/ops/half_precision_weights.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kHalfPrecisionWeights = {
    "DT204",
    "half-precision-weights",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "Weight-only quantization (float activations, 8-bit weights) has a kernel for matrix products of "
    "static weights only. The MatMul of the published table passes validation and can then not be "
    "prepared on any arch.",
    "Quantize the activations too, or keep the weights in float.",
    "Fires: Conv2d with FLOAT_16 activations and a 3x3 SFIXED_POINT_8 filter. Does not: the same with "
    "a 1x1 filter.",
};

void CheckHalfPrecisionWeights(const BackendOp& op, const Target& target, OpReport& report) {
  if (!Is(op, {"Conv2d", "MatMul"})) return;
  const BackendTensor& weight = Input(op, 1);
  if (!IsFloat(Input(op, 0)) || !IsFixed(weight, v1::DATA_TYPE_INT8)) return;
  if (op.name == "MatMul") {
    report.Add(kHalfPrecisionWeights, In(1), "MatMul of float activations and 8-bit weights",
               "only FullyConnected and 1x1 Conv2d can be prepared so");
    return;
  }
  if (weight.dims.size() != 4 || weight.dims[0] < 0 || weight.dims[1] < 0) {
    report.NotChecked(kHalfPrecisionWeights, "the filter's size is not known");
    return;
  }
  if (weight.dims[0] == 1 && weight.dims[1] == 1) return;
  report.Add(kHalfPrecisionWeights, In(1),
             absl::StrCat("float activations with an 8-bit ", weight.dims[0], "x", weight.dims[1], " filter"),
             "the filter must be 1x1");
}

}  // namespace quantgate::qnn_htp
