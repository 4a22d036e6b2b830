#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/bias.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kBiasScale = {
    "FX001",
    "bias-scale",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: the bias scale is {observed}; expected {allowed}",
    "An integer kernel adds the bias to the accumulator as it is stored, so its scale must be input scale x weight "
    "scale. With any other one the bias is too large or too small by the ratio. In a PyTorch graph a bias is "
    "dequantized by its own scale, and QNN tensors carry theirs: there it is for the target to say.",
    "Requantize the bias with input scale x weight scale, per channel where the weights are.",
    "Input 0.02, weight 0.01, bias 0.00025 fires it; bias 0.0002 does not.",
};

// Relative difference that rounding to float32 and a product of two scales can make.
constexpr double kTolerance = 1e-3;

bool HasHalfScales(const Graph& graph, const Operand& bias) {
  const int32_t stored = bias.quantizer < 0 ? -1 : QuantizerInputsOf(graph, bias.quantizer).scale;
  return stored >= 0 && graph.dtype(stored) == v1::DATA_TYPE_FLOAT16;
}

// What rounding to float16 can make besides: half a step each, and steps do not get smaller below 2^-14.
double HalfRounding(double scale, double expected) {
  constexpr double kHalfStep = 0x1p-11;
  constexpr double kLeastHalfStep = 0x1p-25;
  return 2 * kHalfStep * expected + std::max(kHalfStep * scale, kLeastHalfStep);
}

bool AllZero(const Graph& graph, const Operand& bias) {
  if (bias.value < 0 || !graph.is_constant(bias.value)) return false;
  const v1::Constant& constant = graph.value(bias.value).constant();
  if (constant.has_statistics()) return constant.statistics().min() == 0 && constant.statistics().max() == 0;
  const IntegerView integers = IntegersOf(graph.value(bias.value));
  return !integers.empty() && std::all_of(integers.begin(), integers.end(), [](int64_t stored) { return stored == 0; });
}

void CheckBiasScale(const CheckContext& context, FindingSink& sink) {
  const v1::Graph::Origin origin = context.graph().origin();
  if (origin == v1::Graph::PT2E || origin == v1::Graph::QNN) return;
  for (const QuantizedBias& bias : context.Once(QuantizedBiases)) {
    if (bias.input == nullptr || bias.weight == nullptr) continue;
    const RealView inputs = bias.input->scales;
    const RealView weights = bias.weight->scales;
    const RealView scales = bias.params->scales;
    if (inputs.size() != 1 || weights.empty() || scales.empty() || bias.weight->blocked()) continue;
    // Converters share one tensor between biases that are all zero; its scale says nothing then. That of LiteRT is seen
    // to share it, so there a zero bias of one operator is as wrong as any.
    const bool zero = AllZero(context.graph(), *bias.bias);
    const bool shared = zero && context.graph().uses(bias.bias->value).size() > 1;
    if (zero && origin != v1::Graph::TFLITE) continue;
    const size_t count = std::max(weights.size(), scales.size());
    if ((weights.size() != 1 && weights.size() != count) || (scales.size() != 1 && scales.size() != count)) continue;
    const bool half = HasHalfScales(context.graph(), *bias.bias);
    for (size_t i = 0; i < count; ++i) {
      const double weight = weights[weights.size() == 1 ? 0 : i];
      const double scale = scales[scales.size() == 1 ? 0 : i];
      const double expected = inputs[0] * weight * bias.factor;
      // Not a scale at all: said by scale-range.
      if (!std::isfinite(expected) || expected <= 0 || !std::isfinite(scale) || scale <= 0) continue;
      const double rounding = half ? HalfRounding(scale, expected) : 0;
      if (std::fabs(scale - expected) <= kTolerance * expected + rounding) continue;
      Place place = bias.place;
      if (count > 1) place.index = static_cast<int64_t>(i);
      FindingDraft draft;
      draft.rule = &kBiasScale;
      draft.place = place;
      draft.observed = absl::StrCat(FormatNumber(scale), ", ", FormatNumber(scale / expected), " times the product",
                                    shared ? ", of zeros that several operators share" : "");
      draft.allowed =
          absl::StrCat(FormatNumber(expected), " = ", FormatNumber(inputs[0]), " x ", FormatNumber(weight),
                       bias.factor == 1 ? "" : absl::StrCat(" x alpha / beta = ", FormatNumber(bias.factor)));
      // What quantizers write beside an alpha, and ONNX Runtime's beside a beta: right as it stands, and not what a
      // kernel accumulates in.
      const double product = inputs[0] * weight;
      const auto is = [scale](double other) { return std::fabs(scale - other) <= kTolerance * std::fabs(other); };
      if (is(product) || is(product * bias.beta)) {
        draft.severity = v1::Finding::WARNING;
        draft.effect = v1::Finding::ADVICE;
      }
      if (shared) {
        draft.severity = v1::Finding::INFO;
        draft.effect = v1::Finding::ADVICE;
      }
      sink.Add(std::move(draft));
      break;
    }
  }
}

}  // namespace

Rule BiasScale() { return {&kBiasScale, &CheckBiasScale}; }

}  // namespace quantgate
