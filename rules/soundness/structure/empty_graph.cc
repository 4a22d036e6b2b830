#include <algorithm>
#include <utility>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kEmptyGraph = {
    "GS001",
    "empty-graph",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; expected {allowed}",
    "There is nothing to run and nothing to check, which nearly always means that the export went wrong.",
    "Export the model again and look at what the exporter says.",
    "A model without nodes fires it, and an ONNX or LiteRT model without outputs; one with a single Relu does not, nor "
    "a LiteRT model that only assigns variables. An ONNX model or an exported program that only passes its inputs on "
    "is a warning.",
};

// A node of a LiteRT model without outputs, as ASSIGN_VARIABLE and CALL_ONCE, is there for what it leaves behind.
bool HasEffects(const Graph& graph) {
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.num_outputs(node) == 0) return true;
  }
  return false;
}

void CheckEmptyGraph(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  // What a body gives its node is argument-count's.
  if (graph.message().outputs().empty() && !context.is_body() && graph.num_nodes() > 0 &&
      (graph.origin() == v1::Graph::ONNX || (graph.origin() == v1::Graph::TFLITE && !HasEffects(graph)))) {
    sink.Add(kEmptyGraph, {}, "no outputs", "at least one output");
  }
  if (graph.num_nodes() > 0 || graph.message().encodings_file().alone()) return;
  const auto& outputs = graph.message().outputs();
  const auto all_are = [&](bool may_be_input) {
    return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [&](int32_t id) {
      return graph.is_constant(id - 1) || graph.value(id - 1).captured() > 0 ||
             (may_be_input && graph.is_graph_input(id - 1));
    });
  };
  // The branch of an If may consist of a constant or of a tensor from outside, which in LiteRT is an input of it.
  const bool body = context.is_body();
  if (all_are(body)) return;
  FindingDraft draft;
  draft.rule = &kEmptyGraph;
  draft.observed = "no nodes";
  draft.allowed = "at least one node";
  // ONNX runtimes load and run it, and so does PyTorch: torch.export writes `return x` as such a graph.
  const bool runs = graph.origin() == v1::Graph::ONNX || graph.origin() == v1::Graph::PT2E;
  if (runs && all_are(true)) {
    draft.effect = v1::Finding::ADVICE;
    draft.severity = v1::Finding::WARNING;
  }
  sink.Add(std::move(draft));
}

}  // namespace

Rule EmptyGraph() { return {&kEmptyGraph, &CheckEmptyGraph}; }

}  // namespace quantgate
