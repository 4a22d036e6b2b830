#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/port_role.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnpairedQuantize = {
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
  const PortRole role = RoleAt(*binding, graph.argument(use.node, use.input));
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

// By value: a node that means real numbers and reads the value, or what operators that only move elements make of it;
// -1: none. A second Quantize behind such operators means real numbers too.
std::vector<int32_t> ReadersOfRealNumbers(const Graph& graph) {
  std::vector<int32_t> reader(graph.num_values(), -1);
  const absl::Span<const int32_t> order = graph.order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Binding* binding = graph.binding(*it);
    if (binding == nullptr) continue;
    const bool moves = (binding->op->traits & (kMovesData | kSelects)) != 0 && !binding->integer_operator;
    const int32_t made = moves && graph.num_outputs(*it) > 0 ? graph.output(*it, 0) : -1;
    for (int i = 0; i < graph.num_inputs(*it); ++i) {
      const int32_t value = graph.input(*it, i);
      if (value < 0 || reader[value] >= 0) continue;
      if (WantsRealNumbers(graph, {*it, i}) || (IsQuantize(graph, *it) && i == 0)) reader[value] = *it;
      if (made >= 0 && i == 0) reader[value] = reader[made];
    }
  }
  return reader;
}

// The node that reads what `use` moves, and means real numbers; -1: none, or it moves nothing.
int32_t ReaderBehind(const Graph& graph, const Use& use, std::vector<int32_t>& readers) {
  const Binding* binding = graph.binding(use.node);
  if (binding == nullptr || binding->integer_operator || use.input != 0) return -1;
  if ((binding->op->traits & (kMovesData | kSelects)) == 0 || graph.num_outputs(use.node) == 0) return -1;
  if (graph.output(use.node, 0) < 0) return -1;
  if (readers.empty()) readers = ReadersOfRealNumbers(graph);
  return readers[graph.output(use.node, 0)];
}

void CheckUnpairedQuantize(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  std::vector<int32_t> readers;  // made for the first operator that moves what a Quantize stores
  for (int32_t node : graph.quantizers()) {
    if (!IsQuantize(graph, node) || graph.num_outputs(node) == 0 || graph.output(node, 0) < 0) continue;
    const int32_t value = graph.output(node, 0);
    for (const Use& use : graph.uses(value)) {
      const bool direct = WantsRealNumbers(graph, use) || MixedWithFloats(context, use, value);
      const int32_t behind = direct ? -1 : ReaderBehind(graph, use, readers);
      if (!direct && behind < 0) continue;
      Place place;
      place.node = node;
      place.output = 0;
      place.value = value;
      const int32_t reader = direct ? use.node : behind;
      sink.Add(kUnpairedQuantize, place,
               absl::StrCat("feeds ", graph.op_type(reader), " node '", NodeName(graph, reader), "' ",
                            direct ? "directly" : absl::StrCat("through ", graph.op_type(use.node))),
               "a DequantizeLinear in between");
      break;
    }
  }
}

}  // namespace

Rule UnpairedQuantize() { return {&kUnpairedQuantize, &CheckUnpairedQuantize}; }

}  // namespace quantgate
