#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kWeightAxis = {
    "AX009",
    "weight-axis",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: quantized along axis {observed}; expected {allowed}",
    "A kernel of LiteRT scales each output channel once, after its sum. Scales along another axis would have to be "
    "applied inside of the sum, and are applied to the wrong channels instead.",
    "Quantize the weights along their output channels: axis 3 of DEPTHWISE_CONV_2D, axis 0 of the others.",
    "A filter of DEPTHWISE_CONV_2D with quantized_dimension 0 fires it; with 3 it does not.",
};

// The axis of output channels; -1: not known.
int32_t ChannelAxis(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  if (op == "DEPTHWISE_CONV_2D") return 3;
  return op == "CONV_2D" || op == "TRANSPOSE_CONV" || op == "FULLY_CONNECTED" ? 0 : -1;
}

void CheckWeightAxis(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  const Graph& graph = context.graph();
  ForEachWeight(context, [&](const ResolvedOp& op, const Operand& weight) {
    const QuantParams* params = context.resolved().qparams(weight);
    const int32_t expected = ChannelAxis(graph, op.node);
    if (params == nullptr || params->blocked() || params->axes.size() != 1 || expected < 0) return;
    const int32_t axis = params->axes[0];
    // An axis that is none is axis-range's.
    if (axis == expected || axis < 0 || axis >= graph.rank(weight.value)) return;
    Place place;
    place.node = op.node;
    place.input = weight.argument;
    place.value = weight.value;
    sink.Add(kWeightAxis, place, absl::StrCat(axis), absl::StrCat(expected, ", the output channels"));
  });
}

}  // namespace

Rule WeightAxis() { return {&kWeightAxis, &CheckWeightAxis}; }

}  // namespace quantgate
