#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDanglingTensor = {
    "GS002",
    "dangling-tensor",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A name is used that nothing defines: no node writes it, no constant and no graph input has it.",
    "Add what is missing (often an initializer that was stripped), or correct the name.",
    "A DequantizeLinear whose scale initializer was removed fires it; with the initializer it does not. An ONNX If "
    "whose branch has a tensor of the graph around it as its output fires it; an Identity of that tensor does not.",
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
      sink.Add(kDanglingTensor, place, "is defined nowhere", "a node's output, a constant or a graph input");
    }
  }
}

// A number in a LiteRT file that counts no tensor: every tensor of a file has an element type.
bool Missing(const Graph& graph, int32_t value) {
  return value >= 0 && graph.dtype(value) == v1::DATA_TYPE_UNSPECIFIED && !graph.value(value).has_shape();
}

void CheckNumbers(const Graph& graph, FindingSink& sink) {
  const auto add = [&](const Place& place, const char* observed) {
    sink.Add(kDanglingTensor, place, observed, "a number of a tensor that the file has");
  };
  for (int32_t id : graph.message().inputs()) {
    Place place;
    place.value = id - 1;
    if (Missing(graph, place.value)) add(place, "is a graph input that the file does not have");
  }
  if (absl::c_none_of(graph.unlike_values(), [&](int32_t value) { return Missing(graph, value); })) return;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      Place place;
      place.node = node;
      place.output = i;
      place.value = graph.output(node, i);
      if (Missing(graph, place.value)) add(place, "is written, and the file does not have it");
    }
  }
}

// What nodes of a body read may come from the graph around it; what an ONNX body gives back has to be its own, an input
// or a constant included. onnx.checker says so, and ONNX Runtime does not load the file. Other formats hand such a
// value to the body.
bool IsHandedThrough(const Graph& graph, int32_t value) {
  return graph.origin() == v1::Graph::ONNX && graph.value(value).captured() > 0;
}

void CheckOutputs(const Graph& graph, FindingSink& sink) {
  for (int32_t id : graph.message().outputs()) {
    FindingDraft draft;
    draft.rule = &kDanglingTensor;
    draft.place.value = id - 1;
    if (!Defined(graph, id - 1)) {
      draft.observed = "is a graph output that nothing produces";
      draft.allowed = "a node's output, a constant or a graph input";
    } else if (IsHandedThrough(graph, id - 1)) {
      draft.observed = "is a graph output that nothing in this body produces: it is a tensor of the graph around it";
      draft.allowed = "a node's output, a constant or an input of the body";
      draft.fix = "Put an Identity into the body that reads the tensor, and give its output back.";
    } else {
      continue;
    }
    sink.Add(std::move(draft));
  }
}

void CheckDanglingTensor(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() == v1::Graph::TFLITE) CheckNumbers(graph, sink);
  if (!graph.all_read_are_given()) CheckInputs(graph, sink);
  CheckOutputs(graph, sink);
}

}  // namespace

Rule DanglingTensor() { return {&kDanglingTensor, &CheckDanglingTensor}; }

}  // namespace quantgate
