#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
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
    "QuantizeLinear straight into Sigmoid fires it; QuantizeLinear, DequantizeLinear, Sigmoid does not. A Cast of what "
    "it stores to float32 is a warning: the scale may be applied by hand behind it.",
};

// What a Cast makes of stored integers; unspecified: it is none, or makes floats.
v1::DataType IntegerCast(const Graph& graph, int32_t node) {
  if (!IsCast(graph.op(node)) || graph.num_outputs(node) == 0 || graph.output(node, 0) < 0) {
    return v1::DATA_TYPE_UNSPECIFIED;
  }
  const v1::DataType type = graph.dtype(graph.output(node, 0));
  return IsInteger(type) ? type : v1::DATA_TYPE_UNSPECIFIED;
}

// Whether what it makes is stored integers still, of the same scale and zero point. Interpolating them is interpolating
// the real numbers; a cast to a wider type is the beginning of arithmetic that is meant for integers.
bool KeepsStored(const Graph& graph, int32_t node) {
  const Binding* binding = graph.binding(node);
  if (binding == nullptr || binding->integer_operator) return false;
  const v1::DataType cast = IntegerCast(graph, node);
  if (cast != v1::DATA_TYPE_UNSPECIFIED) return BitWidth(cast) <= 16;
  return binding->op->id == OpId::kResize || (binding->op->traits & (kMovesData | kSelects)) != 0;
}

// Whether an operator means real numbers when it reads this argument. Operators that only move, pick, compare or look
// at elements work on stored integers as well, and integer operators want them, as do those that are defined for
// integers alone.
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
    case OpId::kArgMax:
    case OpId::kArgMin:
    case OpId::kBitwiseAnd:
    case OpId::kBitwiseOr:
    case OpId::kBitwiseXor:
    case OpId::kBitwiseNot:
    case OpId::kBitShift:
    case OpId::kShiftLeft:
    case OpId::kShiftRight:
    case OpId::kMod:  // with fmod it takes real numbers too, and computes on integers as well
      return false;
    default:
      break;
  }
  if (IntegerCast(graph, use.node) != v1::DATA_TYPE_UNSPECIFIED || KeepsStored(graph, use.node)) return false;
  const PortRole role = RoleAt(*binding, graph.argument(use.node, use.input));
  if (role == PortRole::kIndex || role == PortRole::kCondition || role == PortRole::kParameter) return false;
  return (binding->op->traits & (kNoData | kControlFlow)) == 0;
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
    const int32_t made = KeepsStored(graph, *it) && graph.num_outputs(*it) > 0 ? graph.output(*it, 0) : -1;
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
  if (use.input != 0 || !KeepsStored(graph, use.node) || graph.num_outputs(use.node) == 0) return -1;
  if (graph.output(use.node, 0) < 0) return -1;
  if (readers.empty()) readers = ReadersOfRealNumbers(graph);
  return readers[graph.output(use.node, 0)];
}

// A Cast to a floating-point type may begin a dequantization by hand.
FindingDraft CastOfStored(const Graph& graph, int32_t cast) {
  FindingDraft draft;
  draft.severity = v1::Finding::WARNING;
  draft.effect = v1::Finding::ADVICE;
  draft.observed = absl::StrCat("is cast to real numbers by ", graph.op_type(cast), " node '", NodeName(graph, cast),
                                "', without its scale and zero point");
  draft.allowed = "a DequantizeLinear instead, unless both are applied behind it";
  return draft;
}

FindingDraft ReadAsReal(const Graph& graph, int32_t reader, const Use& use) {
  if (IsCast(graph.op(reader))) return CastOfStored(graph, reader);
  FindingDraft draft;
  draft.observed = absl::StrCat("feeds ", graph.op_type(reader), " node '", NodeName(graph, reader), "' ",
                                reader == use.node ? "directly" : absl::StrCat("through ", graph.op_type(use.node)));
  draft.allowed = "a DequantizeLinear in between";
  return draft;
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
      FindingDraft draft = ReadAsReal(graph, direct ? use.node : behind, use);
      draft.rule = &kUnpairedQuantize;
      draft.place.node = node;
      draft.place.output = 0;
      draft.place.value = value;
      sink.Add(std::move(draft));
      break;
    }
  }
}

}  // namespace

Rule UnpairedQuantize() { return {&kUnpairedQuantize, &CheckUnpairedQuantize}; }

}  // namespace quantgate
