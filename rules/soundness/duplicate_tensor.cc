#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "FI006",
    "duplicate-tensor",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Tensors are told apart by name. When one name stands for two tensors, tools bind consumers to different ones and "
    "compute different things from the same file.",
    "Give each tensor a name of its own.",
    "Two initializers named 'w' fire it; 'w' and 'w_1' do not.",
};

const char* Kind(const Graph& graph, int32_t value) {
  if (graph.is_constant(value)) return "a constant";
  if (graph.is_graph_input(value)) return "a graph input";
  return graph.producer(value) >= 0 ? "a node's output" : "a tensor";
}

void CheckNames(const Graph& graph, FindingSink& sink) {
  absl::flat_hash_map<absl::string_view, int32_t> first;
  first.reserve(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    const std::string& name = graph.value(value).name();
    if (name.empty() || graph.value(value).foreign()) continue;
    const auto [it, inserted] = first.emplace(name, value);
    if (inserted) continue;
    Place place;
    place.value = value;
    place.node = graph.producer(value);
    FindingDraft draft;
    draft.rule = &kInfo;
    draft.place = place;
    draft.observed =
        absl::StrCat("its name stands for ", Kind(graph, it->second), " and again for ", Kind(graph, value));
    draft.allowed = "one tensor for each name";
    if (graph.origin() == v1::Graph::TFLITE) {
      // LiteRT tells tensors apart by number; who looks one up by its name gets the wrong one.
      draft.severity = v1::Finding::WARNING;
      draft.effect = v1::Finding::ADVICE;
    }
    sink.Add(std::move(draft));
  }
}

void CheckProducers(const Graph& graph, FindingSink& sink) {
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      const int32_t value = graph.output(node, i);
      if (value < 0) continue;
      const int32_t producer = graph.producer(value);
      const bool also_given = graph.is_constant(value) && graph.op_type(node) != "Constant";
      if (producer == node && graph.output_index(value) == i && !also_given && !graph.is_graph_input(value)) continue;
      Place place;
      place.node = node;
      place.output = i;
      place.value = value;
      sink.Add(kInfo, place,
               producer != node || graph.output_index(value) != i
                   ? absl::StrCat("is also written by node '", NodeName(graph, producer), "'")
                   : absl::StrCat("is also ", Kind(graph, value)),
               "one producer for each tensor");
    }
  }
}

void Check(const CheckContext& context, FindingSink& sink) {
  if (!context.graph().distinct_value_names()) CheckNames(context.graph(), sink);
  CheckProducers(context.graph(), sink);
}

}  // namespace

Rule DuplicateTensor() { return {&kInfo, &Check}; }

}  // namespace quantgate
