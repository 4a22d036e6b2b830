#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/bias.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kBiasZeroPoint = {
    "FX002",
    "bias-zero-point",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: the bias zero point is {observed}; expected {allowed}",
    "Integer kernels add the stored bias to the accumulator without looking at a zero point, so a bias with one is off "
    "by zero point x scale in every output.",
    "Requantize the bias symmetrically, with zero point 0.",
    "An int32 bias with zero point 5 fires it; with 0 it does not.",
};

void CheckBiasZeroPoint(const CheckContext& context, FindingSink& sink) {
  for (const QuantizedBias& bias : context.Once(QuantizedBiases)) {
    const RealView zero_points = bias.params->zero_points;
    for (size_t i = 0; i < zero_points.size(); ++i) {
      if (zero_points[i] == 0) continue;
      Place place = bias.place;
      if (zero_points.size() > 1) place.index = static_cast<int64_t>(i);
      sink.Add(kBiasZeroPoint, place, FormatNumber(zero_points[i]), "0");
      break;
    }
  }
}

}  // namespace

Rule BiasZeroPoint() { return {&kBiasZeroPoint, &CheckBiasZeroPoint}; }

}  // namespace quantgate
