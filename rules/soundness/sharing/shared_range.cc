#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kSharedRange = {
    "SH008",
    "shared-range",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The output of exp, of a product, of a sum along an axis or of a sigmoid has another range than the input. One "
    "observer for both covers the wider range, and leaves a few integers, or one, for the numbers of the other.",
    "Give the output a spec of its own.",
    "exp whose output spec is shared with its input fires it, and mul of two tensors whose output is shared with one "
    "of them (Samsung's EnnQuantizer of ExecuTorch 1.5.1); a reshape with the same does not, nor does mul by a number.",
};

// Of two tensors: the other one may be anything.
bool Multiplies(const Graph& graph, int32_t node) {
  const OpId id = graph.op(node);
  return (id == OpId::kMul || id == OpId::kDiv) && graph.num_inputs(node) > 1;
}

bool ChangesRange(const Graph& graph, int32_t node) {
  const Binding& binding = *graph.binding(node);
  if ((binding.op->traits & (kAccumulates | kFixedRange)) != 0 || Multiplies(graph, node)) return true;
  switch (binding.op->id) {
    case OpId::kCumSum:
    case OpId::kErf:
    case OpId::kExp:
    case OpId::kLog:
    case OpId::kPow:
    case OpId::kReciprocal:
    case OpId::kReduceSum:
    case OpId::kReduceSumSquare:
    case OpId::kRsqrt:
    case OpId::kSqrt:
    case OpId::kSquare:
      return true;
    default:
      return false;
  }
}

// An edge into the node, or the value that one brings, which is computed when the model runs. A constant factor is as
// much a range of its own.
bool IsDataOf(const Graph& graph, int32_t node, SpecPlace place) {
  if (place.value < 0 || (place.is_edge() && place.node != node)) return false;
  if (graph.is_static(place.value) && !Multiplies(graph, node)) return false;
  return absl::c_any_of(graph.uses(place.value), [node](const Use& use) { return use.node == node; });
}

void CheckSharedRange(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!IsAnnotation(context)) return;
  for (int32_t value : graph.referring_values()) {
    const int32_t node = graph.producer(value);
    const int32_t spec = graph.value_spec(value);
    if (node < 0 || graph.spec_kind(spec) != v1::Spec::SHARED || graph.binding(node) == nullptr) continue;
    const SpecPlace shared_with = graph.references(spec)[0];
    if (!ChangesRange(graph, node) || !IsDataOf(graph, node, shared_with)) continue;
    sink.Add(kSharedRange, PlaceOf(graph, SpecPlace{value, -1}),
             absl::StrCat("one observer for it and the input '", graph.value(shared_with.value).name(), "'"),
             "an output with a range of its own");
  }
}

}  // namespace

Rule SharedRange() { return {&kSharedRange, &CheckSharedRange}; }

}  // namespace quantgate
