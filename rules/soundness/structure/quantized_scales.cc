#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/defined.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kQuantizedScales = {
    "GS018",
    "quantized-scales",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Scales say how large the result is. A factor of 1 that is quantized to eight bits is 0.996: a batch of one "
    "becomes empty, an image loses a row, or the runtime refuses to scale batch and channels.",
    "Leave the scales of Resize and Upsample out of the quantization, or state sizes instead.",
    "A Resize whose scales 1, 1, 2, 2 are quantized with scale 2/255 fires it; with scale 1/64 they stay what they "
    "are, and it does not.",
};

// More than a tensor has dimensions.
constexpr size_t kMostScales = 64;

// The argument with the scales; -1: not such a node.
int ScalesOf(const Graph& graph, int32_t node, int64_t opset) {
  const absl::string_view op_type = graph.op_type(node);
  if (op_type == "Upsample") return 1;
  return op_type == "Resize" ? (opset < 11 ? 1 : 2) : -1;
}

// One scale, and what is left of it. Runtimes compute with float32.
struct Kept {
  float before;
  float after;
};

class ScalesCheck {
 public:
  ScalesCheck(const CheckContext& context, FindingSink& sink)
      : context_(context), graph_(context.graph()), opset_(OnnxOpset(context.model())), sink_(sink) {}

  void Check(int32_t dequantize) {
    const int32_t output = graph_.num_outputs(dequantize) > 0 ? graph_.output(dequantize, 0) : -1;
    if (output < 0) return;
    for (const Use& use : graph_.uses(output)) {
      if (use.input == ScalesOf(graph_, use.node, opset_)) CheckReader(dequantize, use);
    }
  }

 private:
  void CheckReader(int32_t dequantize, const Use& use) {
    const int32_t stored = QuantizerInputsOf(graph_, dequantize).data;
    const int32_t producer = stored < 0 ? -1 : graph_.producer(stored);
    const bool quantized = IsQuantize(graph_, producer);
    const int32_t source = quantized ? QuantizerInputsOf(graph_, producer).data : stored;
    const RealView numbers = source < 0 || !graph_.is_constant(source) ? RealView() : NumbersOf(graph_.value(source));
    const Operand& form = *context_.resolved().quantizer(dequantize);
    const QuantParams* params = context_.resolved().qparams(form);
    if (numbers.empty() || numbers.size() > kMostScales || !IsInteger(form.type) || params == nullptr ||
        params->scales.size() != 1 || params->zero_points.size() > 1) {
      sink_.NotChecked(&kQuantizedScales, use.node, "its scales are quantized, and what is left of them is not known");
      return;
    }
    FindingDraft draft;
    for (size_t i = 0; i < numbers.size(); ++i) Judge(use, i, Keep(numbers[i], quantized, form, *params), draft);
    if (draft.rule == nullptr) return;
    draft.place.node = use.node;
    draft.place.input = use.input;
    draft.place.value = source;
    sink_.Add(std::move(draft));
  }

  // What is stored without a Quantize in front was 1 where 1 is stored so; of others it is not known, and they are
  // taken as they are.
  static Kept Keep(double number, bool quantized, const Operand& form, const QuantParams& params) {
    const float scale = static_cast<float>(params.scales[0]);
    const float zero = params.zero_points.empty() ? 0 : static_cast<float>(params.zero_points[0]);
    const auto store = [&](float real) {
      const float rounded = std::nearbyint(real / scale) + zero;
      return std::fmin(std::fmax(rounded, static_cast<float>(form.quant_min)), static_cast<float>(form.quant_max));
    };
    const float real = static_cast<float>(number);
    const float stored = quantized ? store(real) : real;
    const float after = (stored - zero) * scale;
    return {quantized ? real : (stored == store(1) ? 1 : after), after};
  }

  // The first scale that changes a size, else the first that changes.
  void Judge(const Use& use, size_t i, Kept kept, FindingDraft& draft) const {
    if (kept.before == kept.after) return;
    const bool wrong = kept.before == 1 || ChangesSize(use.node, i, kept);
    if (draft.rule != nullptr && (!wrong || SeverityOf(draft) == v1::Finding::ERROR)) return;
    draft.rule = &kQuantizedScales;
    draft.place.index = static_cast<int64_t>(i);
    draft.severity = wrong ? v1::Finding::ERROR : v1::Finding::WARNING;
    draft.effect = wrong ? v1::Finding::WRONG_NUMBERS : v1::Finding::PRECISION;
    draft.observed = absl::StrCat("the scale ", FormatNumber(kept.before), " is ", FormatNumber(kept.after),
                                  " once it is quantized");
    draft.allowed = "scales that are not quantized";
  }

  bool ChangesSize(int32_t node, size_t i, Kept kept) const {
    const int32_t input = graph_.input(node, 0);
    if (input < 0 || graph_.attribute(node, "axes") != nullptr) return false;
    const v1::Value& tensor = graph_.value(input);
    if (!tensor.has_shape() || i >= static_cast<size_t>(tensor.dims_size()) || tensor.dims(static_cast<int>(i)) < 0) {
      return false;
    }
    const float size = static_cast<float>(tensor.dims(static_cast<int>(i)));
    return std::floor(size * kept.before) != std::floor(size * kept.after);
  }

  const CheckContext& context_;
  const Graph& graph_;
  const int64_t opset_;
  FindingSink& sink_;
};

void CheckQuantizedScales(const CheckContext& context, FindingSink& sink) {
  if (context.graph().origin() != v1::Graph::ONNX) return;
  ScalesCheck scales(context, sink);
  for (int32_t node : context.graph().quantizers()) {
    if (IsDequantize(context.graph(), node)) scales.Check(node);
  }
}

}  // namespace

Rule QuantizedScales() { return {&kQuantizedScales, &CheckQuantizedScales}; }

}  // namespace quantgate
