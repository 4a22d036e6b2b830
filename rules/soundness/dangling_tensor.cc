#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "GS002",
    "dangling-tensor",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A name is used that nothing defines: no node writes it, no constant and no graph input has it.",
    "Add what is missing (often an initializer that was stripped), or correct the name.",
    "A DequantizeLinear whose scale initializer was removed fires it; with the initializer it does not.",
};

bool Defined(const Graph& graph, int32_t value) {
  return graph.producer(value) >= 0 || graph.is_constant(value) || graph.is_graph_input(value) ||
         graph.is_elsewhere(value);
}

void CheckInputs(const Graph& graph, FindingSink& sink) {
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const int32_t value = graph.input(node, i);
      if (value < 0 || Defined(graph, value)) continue;
      Place place;
      place.node = node;
      place.input = i;
      place.value = value;
      sink.Add(kInfo, place, "is defined nowhere", "a node's output, a constant or a graph input");
    }
  }
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!graph.all_read_are_given()) CheckInputs(graph, sink);
  for (int32_t id : graph.message().outputs()) {
    if (Defined(graph, id - 1)) continue;
    Place place;
    place.value = id - 1;
    sink.Add(kInfo, place, "is a graph output that nothing produces", "a node's output, a constant or a graph input");
  }
}

}  // namespace

Rule DanglingTensor() { return {&kInfo, &Check}; }

}  // namespace quantgate
