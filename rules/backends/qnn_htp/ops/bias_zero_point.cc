#include "rules/backends/qnn_htp/ops/bias_zero_point.h"

#include "absl/strings/str_format.h"

namespace quantgate::qnn_htp {

const RuleInfo kBiasZeroPoint = {
    "QS201",
    "bias-zero-point",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "With per-channel weights the convolutions read a bias of any type without a zero point, and "
    "validation refuses another one.",
    "Quantize the bias symmetrically, to SFIXED_POINT_32.",
    "Fires: Conv2d with per-channel weights and a UFIXED_POINT_8 bias with zero point 128. Does not: "
    "per-tensor weights.",
};

void CheckBiasZeroPoint(const BackendOp& op, const Target& target, OpReport& report) {
  if (!IsConvolution(op) || !IsPerChannel(Input(op, 1))) return;
  if (op.name == "Conv3d" && IsBitWidth(Input(op, 1))) return;  // not checked there
  const BackendTensor& bias = Input(op, 2);
  if (!bias.present || !bias.type.quantized || bias.qparams == nullptr) return;
  for (double zero_point : bias.qparams->zero_points) {
    if (zero_point == 0.0) continue;
    report.Add(kBiasZeroPoint, In(2), absl::StrFormat("zero point %.7g", zero_point),
               "the bias of a convolution with per-channel weights must have zero point 0");
    return;
  }
}

}  // namespace quantgate::qnn_htp
