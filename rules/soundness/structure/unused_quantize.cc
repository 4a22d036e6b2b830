#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnusedQuantize = {
    "GS008",
    "unused-quantize",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Work without effect, and usually the trace of an edit that was not finished: the tensor that should have been "
    "quantized is not.",
    "Remove the node, or connect its output.",
    "A QuantizeLinear whose output nobody reads fires it; one that feeds a DequantizeLinear does not.",
};

void CheckUnusedQuantize(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t node : graph.quantizers()) {
    if (graph.num_outputs(node) == 0) continue;
    const int32_t value = graph.output(node, 0);
    if (value >= 0 && (!graph.uses(value).empty() || graph.is_graph_output(value) || graph.is_read_in_body(value))) {
      continue;
    }
    Place place;
    place.node = node;
    place.output = 0;
    place.value = value;
    sink.Add(kUnusedQuantize, place, "nobody reads it", "a reader, or no node");
  }
}

}  // namespace

Rule UnusedQuantize() { return {&kUnusedQuantize, &CheckUnusedQuantize}; }

}  // namespace quantgate
