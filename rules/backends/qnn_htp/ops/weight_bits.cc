#include "rules/backends/qnn_htp/ops/weight_bits.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kWeightBits = {
    "DT203",
    "weight-bit-width",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Kernels for narrow weights exist for few widths. For another one validation or preparation of "
    "the graph fails.",
    "Use 4-bit weights (or 2-bit ones with 16-bit activations), or plain 8-bit ones.",
    "Fires: 2-bit weights with 8-bit activations. Does not: 4-bit weights with 8-bit activations.",
};

void CheckWeightBits(const BackendOp& op, const Target& target, OpReport& report) {
  if (!HasWeight(op)) return;
  const BackendTensor& activation = Input(op, 0);
  const BackendTensor& weight = Input(op, 1);
  if (!IsBitWidth(weight) || !activation.type.quantized) return;
  if (Is(op, {"Conv3d", "TransposeConv3d"})) {
    if (!IsSignedType(weight)) return;
    report.Add(kWeightBits, In(1), absl::StrCat("signed ", weight.bits, "-bit weights"),
               "three dimensional convolutions have no kernel for signed weights below 8 bits");
    return;
  }
  const bool wide = IsFixed16(activation);
  if (weight.bits != 4 && !(wide && weight.bits == 2)) {
    report.Add(kWeightBits, In(1),
               absl::StrCat(weight.bits, "-bit weights with ", db::ElementTypeName(activation.type), " activations"),
               wide ? "2 or 4 bits go with 16-bit activations" : "4 bits go with 8-bit activations");
    return;
  }
  if (weight.encoding == Encoding::kBwPerChannel && !IsSignedType(weight)) {
    report.Add(kWeightBits, In(1), absl::StrCat("unsigned per-channel ", weight.bits, "-bit weights"),
               "narrow per-channel weights must be signed");
  }
}

}  // namespace quantgate::qnn_htp
