#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/port_role.h"
#include "rules/graph/sharing/annotations.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDerivedFrom = {
    "FX004",
    "derived-from",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The scale of a bias is input scale x weight scale of the node that adds it. Derived from anything else it is the "
    "scale of another accumulator, and the bias is too large or too small by the ratio.",
    "Derive the bias from the input edge and the weight edge of its own node.",
    "A bias derived from the input and the weight of another convolution fires it; from its own it does not.",
};

std::string PlaceNames(const Graph& graph, absl::Span<const SpecPlace> places) {
  return absl::StrJoin(places, ", ", [&](std::string* out, SpecPlace place) {
    out->append(place.value >= 0 ? SpecPlaceName(graph, place) : "nothing");
  });
}

// The common case, told from the compact records: the bias's own spec refers to the node's other inputs, in order.
bool NamesItsInputs(const Graph& graph, int32_t node) {
  const Binding& binding = *graph.binding(node);
  if (binding.integer_operator) return false;
  const auto role_of = [&](int i) { return RoleAt(binding, graph.argument(node, i)); };
  const int bias = graph.num_inputs(node) - 1;
  if (bias < 0 || role_of(bias) != PortRole::kBias || graph.edge_spec(node, bias) < 0) return false;
  const int32_t spec = graph.edge_spec(node, bias);
  const absl::Span<const SpecPlace> references = graph.references(spec);
  if (graph.spec_kind(spec) != v1::Spec::DERIVED || static_cast<int>(references.size()) != bias) return false;
  for (int i = 0; i < bias; ++i) {
    const PortRole role = role_of(i);
    if (role != PortRole::kActivation && role != PortRole::kWeight) return false;
    if (graph.input(node, i) < 0 || !(references[i] == SpecPlace{graph.input(node, i), node})) return false;
  }
  return true;
}

void CheckSources(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  const Operand* bias = nullptr;
  absl::InlinedVector<int32_t, 4> sources;
  for (const Operand& operand : context.resolved().inputs(op)) {
    if (!operand.present) continue;
    if (RoleOf(op, operand) == PortRole::kBias) {
      bias = &operand;
    } else {
      sources.push_back(operand.edge_value);
    }
  }
  if (bias == nullptr || bias->spec < 0 || graph.spec_kind(bias->spec) != v1::Spec::DERIVED) return;
  absl::InlinedVector<int32_t, 4> named;
  bool own = true;
  for (SpecPlace reference : graph.references(bias->spec)) {
    named.push_back(reference.value);
    own = own && (!reference.is_edge() || reference.node == op.node);
  }
  if (own && named == sources) return;
  std::sort(sources.begin(), sources.end());
  std::sort(named.begin(), named.end());
  if (own && named == sources) return;
  Place place;
  place.node = op.node;
  place.input = bias->argument;
  place.value = bias->value;
  sink.Add(
      kDerivedFrom, place,
      absl::StrCat("is derived from ", named.empty() ? "nothing" : PlaceNames(graph, graph.references(bias->spec))),
      "the node's own input and weight");
}

void CheckDerivedFrom(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto is_derived = [&graph](int32_t spec) { return graph.spec_kind(spec) == v1::Spec::DERIVED; };
  if (absl::c_none_of(graph.unlike_specs(), is_derived)) return;
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (op.op == nullptr || (op.op->traits & kAccumulates) == 0) continue;
    if (graph.binding(op.node) == nullptr || !NamesItsInputs(graph, op.node)) CheckSources(context, op, sink);
  }
}

}  // namespace

Rule DerivedFrom() { return {&kDerivedFrom, &CheckDerivedFrom}; }

}  // namespace quantgate
