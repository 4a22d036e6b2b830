#include "rules/backends/qnn_htp/ops/packed_scales.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kPackedScales = {
    "SH203",
    "packed-scales",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "Pack copies signed integers without a requantization: half of the outputs are wrong when the "
    "inputs have different scales.",
    "Let all inputs and the output share one set of quantization parameters.",
    "Fires: Pack of two SFIXED_POINT_8 tensors with scales 0.02 and 0.04. Does not: UFIXED_POINT_8 "
    "tensors, or equal scales.",
};

void CheckPackedScales(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "Pack" || !IsFixed(Input(op, 0), v1::DATA_TYPE_INT8) || !HasScalarQparams(Input(op, 0))) return;
  for (size_t i = 1; i < op.inputs.size(); ++i) {
    const BackendTensor& other = op.inputs[i];
    if (!HasScalarQparams(other)) continue;
    if (SameScale(ScaleOf(Input(op, 0)), ScaleOf(other)) && ZeroPointOf(Input(op, 0)) == ZeroPointOf(other)) continue;
    report.Add(kPackedScales, In(static_cast<int>(i)), QparamsText(other),
               absl::StrCat("it must equal the first input's, ", QparamsText(Input(op, 0))));
  }
}

}  // namespace quantgate::qnn_htp
