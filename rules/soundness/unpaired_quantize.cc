#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "GS006",
    "unpaired-quantize",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The operator computes with real numbers and is handed stored integers, whose scale and zero point it does not "
    "know.",
    "Put a DequantizeLinear with the same scale and zero point between the two.",
    "QuantizeLinear straight into Sigmoid fires it; QuantizeLinear, DequantizeLinear, Sigmoid does not.",
};

// Whether an operator means real numbers when it reads this argument. Operators that only move, pick, compare or look
// at elements work on stored integers as well, and integer operators want them.
bool WantsRealNumbers(const Graph& graph, const Use& use) {
  const Binding* binding = graph.binding(use.node);
  if (binding == nullptr || binding->integer_operator || binding->op->id == OpId::kDequantize) return false;
  switch (graph.op(use.node)) {
    case OpId::kQuantize:  // quantizing integers is a type mismatch
    case OpId::kOpaque:    // nothing is known of its ports
    case OpId::kEqual:
    case OpId::kNotEqual:
    case OpId::kLess:
    case OpId::kLessEqual:
    case OpId::kGreater:
    case OpId::kGreaterEqual:
      return false;
    default:
      break;
  }
  const Argument argument = ArgumentAt(*binding, graph.argument(use.node, use.input));
  if (argument.role != ArgRole::kData || argument.of_output || argument.port >= binding->op->inputs.size())
    return false;
  const PortRole role = binding->op->inputs[argument.port].role;
  if (role == PortRole::kIndex || role == PortRole::kCondition || role == PortRole::kParameter) return false;
  return (binding->op->traits & (kMovesData | kSelects | kNoData | kControlFlow)) == 0;
}

// Moving operators take integers, but not integers and reals at once (Concat of a stored and a float tensor).
bool MixedWithFloats(const CheckContext& context, const Use& use, int32_t value) {
  const Graph& graph = context.graph();
  const Binding* binding = graph.binding(use.node);
  if (binding == nullptr || graph.num_inputs(use.node) < 2 || graph.op(use.node) != OpId::kConcat) return false;
  for (int i = 0; i < graph.num_inputs(use.node); ++i) {
    const int32_t other = graph.input(use.node, i);
    if (other >= 0 && other != value && IsDequantize(graph, graph.producer(other))) return true;
  }
  return false;
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t node : graph.quantizers()) {
    if (!IsQuantize(graph, node) || graph.num_outputs(node) == 0 || graph.output(node, 0) < 0) continue;
    const int32_t value = graph.output(node, 0);
    for (const Use& use : graph.uses(value)) {
      if (!WantsRealNumbers(graph, use) && !MixedWithFloats(context, use, value)) continue;
      Place place;
      place.node = node;
      place.output = 0;
      place.value = value;
      sink.Add(kInfo, place,
               absl::StrCat("feeds ", graph.op_type(use.node), " node '", NodeName(graph, use.node), "' directly"),
               "a DequantizeLinear in between");
      break;
    }
  }
}

}  // namespace

Rule UnpairedQuantize() { return {&kInfo, &Check}; }

}  // namespace quantgate
