#include "rules/backends/qnn_htp/ops/bias_scale.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace quantgate::qnn_htp {
namespace {

// Relative difference of two scales above which the integers mean something else; converters round scales to float.
constexpr double kTolerance = 1e-3;

// First channel whose bias scale is not input scale x weight scale; -1: all agree, or not comparable.
int64_t FirstOtherScale(const QuantParams& input, const QuantParams& weight, const QuantParams& bias) {
  if (input.scales.size() != 1 || bias.scales.size() != weight.scales.size()) return -1;
  for (size_t i = 0; i < bias.scales.size(); ++i) {
    const double expected = input.scales[0] * weight.scales[i];
    if (std::abs(bias.scales[i] - expected) > kTolerance * std::abs(expected)) return static_cast<int64_t>(i);
  }
  return -1;
}

// Zeros in any unit. Converters merge the biases of several operators when all are zeros.
bool AllZero(const BackendTensor& bias) {
  const ConstantContent& constant = bias.constant;
  if (constant == nullptr) return false;
  if (constant->has_statistics()) return constant->statistics().min() == 0 && constant->statistics().max() == 0;
  const IntegerView integers = constant.integers();
  return !integers.empty() && std::all_of(integers.begin(), integers.end(), [](int64_t stored) { return stored == 0; });
}

bool ScaleIsZero(const QuantParams& qparams) { return qparams.scales.size() == 1 && qparams.scales[0] == 0.0; }

}  // namespace

const RuleInfo kBiasScale = {
    "FX201",
    "bias-scale",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "HTP does not look at the declared scale where it could know it. With per-channel weights the "
    "integers of the bias count in units of input scale x weight scale, and a non-zero per-tensor "
    "scale drops the bias; with per-tensor weights a missing, zero or per-channel scale saturates "
    "every output. No check of the vendor catches it.",
    "Quantize the bias with scale = input scale x weight scale, per channel exactly when the weights "
    "are.",
    "Fires: per-channel weights and a per-tensor bias scale of 0.001. Does not: one bias scale per "
    "channel, each input scale x weight scale.",
};

void CheckBiasScale(const BackendOp& op, const Target& target, OpReport& report) {
  if (!IsConvolution(op) && op.name != "FullyConnected") return;
  const BackendTensor& weight = Input(op, 1);
  const BackendTensor& bias = Input(op, 2);
  if (!IsFixed(bias, v1::DATA_TYPE_INT32) || !weight.type.quantized) return;
  if (bias.qparams == nullptr || bias.qparams->scales.empty()) return;
  if (IsPerChannel(weight)) {
    if (!bias.qparams->per_tensor()) {
      if (weight.qparams == nullptr || Input(op, 0).qparams == nullptr) return;
      const int64_t channel = FirstOtherScale(*Input(op, 0).qparams, *weight.qparams, *bias.qparams);
      if (channel < 0 || AllZero(bias)) return;
      report.Add(kBiasScale, In(2), absl::StrFormat("scale %.7g in channel %d", bias.qparams->scales[channel], channel),
                 absl::StrFormat("its integers count in units of input scale x weight scale, %.7g",
                                 Input(op, 0).qparams->scales[0] * weight.qparams->scales[channel]));
    } else if (!ScaleIsZero(*bias.qparams)) {
      // One channel: per channel and per tensor are the same thing.
      if (weight.qparams != nullptr && weight.qparams->scales.size() == 1) return;
      report.Add(kBiasScale, In(2), absl::StrFormat("the single scale %.7g", bias.qparams->scales[0]),
                 "with per-channel weights such a bias is dropped; it needs one scale per channel");
    }
    return;
  }
  if (weight.encoding != Encoding::kPerTensor && weight.encoding != Encoding::kBwPerTensor) return;
  if (ScaleIsZero(*bias.qparams)) {
    report.Add(kBiasScale, In(2), "scale 0", "with per-tensor weights this saturates every output");
  } else if (!bias.qparams->per_tensor() && bias.qparams->scales.size() > 1) {
    report.Add(kBiasScale, In(2), "one scale per channel",
               "with per-tensor weights this saturates every output; it needs one scale");
  }
}

}  // namespace quantgate::qnn_htp
