#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/observers.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/largest_number.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kCoarseSoftmax = {
    "FX009",
    "coarse-softmax",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Softmax, and the exp in it, makes differences of its input into ratios: where one step of the input is 0.7, the "
    "next probability is twice as large, and what lies in between is lost. It is nearly always a mask that makes the "
    "step so large: -10000 or -65535 in what is read leaves a few integers, or one, for all numbers that count.",
    "Mask with a number just below what is not masked: a probability 20 below the largest is 2e-9 already. Or leave "
    "the masked sum float, in front of a float softmax.",
    "softmax(x + mask) fires it where mask has -10000 and the sum is quantized to 8 bits; in 16 bits, or with -30, "
    "it does not.",
};

// One step doubles a probability.
const double kLargestStep = std::log(2.0);

absl::string_view ObserverOf(const Graph& graph, const Operand& operand) {
  return operand.spec < 0 ? "" : graph.symbol(graph.message().specs(operand.spec).observer());
}

// Of the stored range, which a file may make as wide as all of int64.
double StepsOf(const Operand& operand) {
  return static_cast<double>(operand.quant_max) - static_cast<double>(operand.quant_min);
}

struct Step {
  double size = 0;
  double because_of = 0;  // a number in the input; 0: it is stated
};

// The Quantize behind a Dequantize that is no part of the node that reads `value`; -1: there is none.
int32_t QuantizeOf(const Graph& graph, int32_t value) {
  const int32_t dequantize = graph.producer(value);
  if (!IsDequantize(graph, dequantize)) return -1;
  const int32_t stored = QuantizerInputsOf(graph, dequantize).data;
  const int32_t quantize = stored < 0 ? -1 : graph.producer(stored);
  return IsQuantize(graph, quantize) ? quantize : -1;
}

// What the node writes as output `index`, quantized; null: it is not.
const Operand* QuantizedOutput(const ResolvedGraph& resolved, int32_t node, int32_t index) {
  const int32_t number = node < 0 ? -1 : resolved.op_of_node(node);
  if (number < 0) return nullptr;
  const absl::Span<const Operand> outputs = resolved.outputs(resolved.ops()[number]);
  return index >= 0 && index < static_cast<int32_t>(outputs.size()) && outputs[index].quantized ? &outputs[index]
                                                                                                : nullptr;
}

// The operand as it is quantized, by the node itself or by the one that wrote it: a float softmax of what is quantized
// reads no finer steps. Null: it is not quantized.
const Operand* QuantizedInput(const CheckContext& context, const ResolvedOp& op) {
  const Graph& graph = context.graph();
  const absl::Span<const Operand> inputs = context.resolved().inputs(op);
  if (inputs.empty() || inputs[0].edge_value < 0) return nullptr;
  if (inputs[0].quantized) return &inputs[0];
  const int32_t value = inputs[0].edge_value;
  const int32_t quantize = QuantizeOf(graph, value);
  // Where both are one operator, the Quantize has none.
  if (const Operand* written = QuantizedOutput(context.resolved(), quantize, 0)) return written;
  const int32_t written = quantize < 0 ? value : QuantizerInputsOf(graph, quantize).data;
  return written < 0 ? nullptr
                     : QuantizedOutput(context.resolved(), graph.producer(written), graph.output_index(written));
}

// Of scales that many may read.
class LargestScale {
 public:
  double Of(int32_t qparams, const RealView& scales) {
    const auto [known, is_new] = known_.try_emplace(qparams, 0.0);
    for (size_t i = 0; is_new && i < scales.size(); ++i) known->second = std::max(known->second, scales[i]);
    return known->second;
  }

 private:
  absl::flat_hash_map<int32_t, double> known_;
};

Step StepOf(const CheckContext& context, const ResolvedOp& op, const Operand& input, LargestNumber& masks,
            LargestScale& largest_scale) {
  const QuantParams* params = context.resolved().qparams(input);
  if (params != nullptr && !params->scales.empty()) {
    return {
        largest_scale.Of(input.qparams, params->scales) * std::abs(context.graph().float_attribute(op.node, "beta", 1)),
        0};
  }
  if (context.stage() != v1::STAGE_ANNOTATED || input.quant_max <= input.quant_min) return {};
  const absl::string_view observer = ObserverOf(context.graph(), input);
  if (HasFixedNumbers(observer)) return {};
  const double largest = masks.In(input.edge_value);
  // HistogramObserver looks at finite numbers alone.
  if (std::isinf(largest) && ParseObserver(observer).observer == "HistogramObserver") return {};
  return {largest / StepsOf(input), largest};
}

void CheckCoarseSoftmax(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  // Softmax may be taken apart, and exp is what makes its ratios.
  const auto makes_ratios = [&graph](int32_t node) {
    const OpId op = graph.op(node);
    return op == OpId::kSoftmax || op == OpId::kLogSoftmax || op == OpId::kExp;
  };
  if (absl::c_none_of(graph.unlike_nodes(), makes_ratios)) return;
  const ResolvedGraph& resolved = context.resolved();
  LargestNumber masks(graph);
  LargestScale largest_scale;
  for (const ResolvedOp& op : resolved.ops()) {
    if (!makes_ratios(op.node)) continue;
    const Operand* input = QuantizedInput(context, op);
    if (input == nullptr || !IsInteger(input->type)) continue;
    const Step step = StepOf(context, op, *input, masks, largest_scale);
    if (!(step.size >= kLargestStep)) continue;
    const Operand& read = resolved.inputs(op)[0];
    Place place;
    place.node = op.node;
    place.input = read.argument;
    place.value = read.value;
    sink.Add(kCoarseSoftmax, place,
             step.because_of > 0
                 ? absl::StrCat("what it reads has ", FormatNumber(step.because_of), " in it: one of its ",
                                FormatNumber(StepsOf(*input)), " steps is ", FormatNumber(step.size), " or more")
                 : absl::StrCat("a step of what it reads is ", FormatNumber(step.size)),
             absl::StrCat("less than ", FormatNumber(std::round(kLargestStep * 1000) / 1000)));
  }
}

}  // namespace

Rule CoarseSoftmax() { return {&kCoarseSoftmax, &CheckCoarseSoftmax}; }

}  // namespace quantgate
