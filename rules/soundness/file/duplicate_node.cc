#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDuplicateNode = {
    "FI007",
    "duplicate-node",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Node names carry no meaning for computing, but logs, profiles and this report point at nodes by name, and some "
    "converters merge nodes of one name.",
    "Give each node a name of its own.",
    "Two nodes named 'conv' fire it; nodes without a name do not.",
};

void CheckDuplicateNode(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.distinct_node_names()) return;
  absl::flat_hash_map<absl::string_view, int32_t> first;
  first.reserve(graph.num_nodes());
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const std::string& name = graph.node(node).name();
    if (name.empty()) continue;
    const auto [it, inserted] = first.emplace(name, node);
    if (inserted) continue;
    Place place;
    place.node = node;
    sink.Add(kDuplicateNode, place,
             absl::StrCat("has the name of node #", it->second, " (", graph.op_type(it->second), ")"),
             "one node for each name");
  }
}

}  // namespace

Rule DuplicateNode() { return {&kDuplicateNode, &CheckDuplicateNode}; }

}  // namespace quantgate
