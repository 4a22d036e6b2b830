#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/written_buffer.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/unobserved.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnobservedOutput = {
    "CV003",
    "unobserved-output",
    v1::Finding::FALLBACK,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "prepare_pt2e makes an observer for the spec and inserts it nowhere: a tuple or a number cannot be observed, nor a "
    "buffer that an operator writes in place, and the output node has edges only. The values stay float between "
    "quantized operators, and whoever counts annotations believes them quantized.",
    "Annotate the getitem nodes that take the results out instead, or the edges into the output node; leave numbers "
    "and the buffer without a spec.",
    "An output spec on topk fires it, and one on sym_size, and one for the cache that index_put_ writes; on "
    "getitem(topk, 0) it does not.",
};

void CheckNoTensors(const Graph& graph, FindingSink& sink) {
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    const int32_t spec = graph.value_spec(value);
    if (!graph.is_observed(spec) || !IsNoTensor(graph, value)) continue;
    Place place;
    place.node = graph.producer(value);
    place.output = graph.output_index(value);
    place.value = value;
    const bool tuple = IsTuple(graph, value);
    sink.Add(kUnobservedOutput, place,
             absl::StrCat("its output spec is for ", tuple ? "a tuple" : "what is no tensor but a number or the like",
                          ", and never gets an observer"),
             tuple ? "specs on the getitem nodes behind it" : "specs on tensors only");
  }
}

// Of an output node the edges count: there is nothing to say where they are quantized.
void CheckOutputNode(const Graph& graph, FindingSink& sink) {
  if (graph.num_nodes() == 0) return;
  const int32_t node = graph.num_nodes() - 1;
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    const int32_t value = graph.output(node, i);
    if (value < 0 || !IsOfOutputNode(graph, value) || !graph.is_observed(graph.value_spec(value))) continue;
    for (int input = 0; input < graph.num_inputs(node); ++input) {
      if (graph.is_observed(graph.edge_spec(node, input))) return;
    }
    Place place;
    place.node = node;
    place.output = i;
    place.value = value;
    sink.Add(kUnobservedOutput, place, "its output spec is for what the graph returns, and never gets an observer",
             "specs on the edges into it");
  }
}

void CheckBuffers(const Graph& graph, FindingSink& sink) {
  if (absl::c_none_of(graph.unlike_nodes(), [&graph](int32_t node) { return WritesInPlace(graph, node); })) return;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      if (!graph.is_observed(graph.edge_spec(node, i)) || !IsWrittenBuffer(graph, node, i)) continue;
      Place place;
      place.node = node;
      place.input = i;
      place.value = graph.input(node, i);
      sink.Add(kUnobservedOutput, place,
               "its spec is for a buffer that the operator writes, and never gets an observer",
               "no spec there: the buffer stays float");
    }
  }
}

void CheckUnobservedOutput(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!IsAnnotation(context)) return;
  if (MayHaveNoTensors(graph)) CheckNoTensors(graph, sink);
  CheckOutputNode(graph, sink);
  CheckBuffers(graph, sink);
}

}  // namespace

Rule UnobservedOutput() { return {&kUnobservedOutput, &CheckUnobservedOutput}; }

}  // namespace quantgate
