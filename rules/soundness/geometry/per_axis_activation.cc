#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kPerAxisActivation = {
    "AX008",
    "per-axis-activation",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "In LiteRT only weights have a scale for each channel. Kernels take the first scale of a tensor that is computed "
    "and ignore the others, without a word; sums with a constant of several scales end the process, and products with "
    "one are 0.",
    "Quantize the tensor with one scale.",
    "An int8 graph input with 8 scales fires it; constant weights with 8 scales do not.",
};

// Kernels that rescale their operands read one scale of each. Where there are several they find none: sums end the
// process, and products are 0.
bool Rescales(OpId op) { return op == OpId::kAdd || op == OpId::kSub || op == OpId::kMul; }

void CheckOperands(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (op.op == nullptr || !Rescales(op.op->id)) continue;
    for (const Operand& operand : context.resolved().inputs(op)) {
      if (!operand.present || !operand.is_static || !IsStoredType(operand.type)) continue;
      const int32_t spec = graph.value_spec(operand.value);
      if (spec < 0 || graph.message().specs(spec).qparams().scales_size() < 2) continue;
      Place place;
      place.node = op.node;
      place.input = operand.argument;
      place.value = operand.value;
      sink.Add(kPerAxisActivation, place,
               absl::StrCat(graph.message().specs(spec).qparams().scales_size(), " scales for an operand of ",
                            graph.op_type(op.node)),
               "one scale");
    }
  }
}

void CheckPerAxisActivation(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  CheckOperands(context, sink);
  const Graph& graph = context.graph();
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (graph.value_spec(value) < 0 || graph.is_static(value) || !IsInteger(graph.dtype(value))) continue;
    // A loop may hand constants to its body.
    if (graph.is_graph_input(value) && context.is_body()) continue;
    const v1::QParams& qparams = graph.message().specs(graph.value_spec(value)).qparams();
    // One scale is the tensor's, whatever axis is stated beside it (axis-range).
    if (qparams.axes().empty() || qparams.scales_size() == 1) continue;
    sink.Add(kPerAxisActivation, PlaceOfValue(graph, value),
             absl::StrCat(qparams.scales_size(), " scales for a tensor that is no constant"), "one scale");
  }
}

}  // namespace

Rule PerAxisActivation() { return {&kPerAxisActivation, &CheckPerAxisActivation}; }

}  // namespace quantgate
