#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kStrayAnnotation = {
    "SH005",
    "stray-annotation",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The annotation names an edge that the graph does not have: the key is no argument of the node, or a node "
    "of another graph (copy.deepcopy leaves such keys behind). prepare_pt2e inserts no observer there and says "
    "nothing; what shares with that edge hangs in the air. With a key that is no node at all, as None for a weight "
    "that a layer_norm does not have, it raises an error.",
    "Key the map by the arguments of the node itself, in the graph that is prepared.",
    "An input_qspec_map with a key two nodes up fires it; one with the node's own input does not.",
};

bool Reads(const Graph& graph, int32_t node, int32_t value) {
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    if (graph.input(node, i) == value) return true;
  }
  return false;
}

void CheckStrayAnnotation(const CheckContext& context, FindingSink& sink) {
  if (!IsAnnotation(context)) return;
  const Graph& graph = context.graph();
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (!graph.has_spec_map(node)) continue;
    for (const v1::InputSpec& entry : graph.node(node).input_spec_map()) {
      const int32_t value = entry.value() - 1;
      if (value < 0 || entry.spec() == 0 || Reads(graph, node, value)) continue;
      Place place;
      place.node = node;
      place.value = value;
      sink.Add(kStrayAnnotation, place,
               absl::StrCat("the annotation has a spec for the edge from '", graph.value(value).name(), "', which ",
                            graph.value(value).foreign() ? "is no node of this graph" : "is no input of the node"),
               "specs for the node's own inputs");
    }
  }
}

}  // namespace

Rule StrayAnnotation() { return {&kStrayAnnotation, &CheckStrayAnnotation}; }

}  // namespace quantgate
