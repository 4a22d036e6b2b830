#include "rules/soundness/unobserved.h"

#include "absl/algorithm/container.h"

namespace quantgate {

bool IsTuple(const Graph& graph, int32_t value) {
  const int32_t node = graph.producer(value);
  if (node < 0 || graph.op(node) == OpId::kGetItem) return false;
  for (const Use& use : graph.uses(value)) {
    if (graph.op(use.node) == OpId::kGetItem) return true;
  }
  return graph.binding(node) != nullptr && graph.binding(node)->op->outputs.size() > 1 &&
         !graph.value(value).has_shape();
}

bool IsNoTensor(const Graph& graph, int32_t value) { return graph.is_no_tensor(value) || IsTuple(graph, value); }

bool MayHaveNoTensors(const Graph& graph) {
  const auto is_no_tensor = [&graph](int32_t value) { return graph.is_no_tensor(value); };
  return absl::c_any_of(graph.unlike_values(), is_no_tensor) ||
         absl::c_any_of(graph.unlike_nodes(), [&graph](int32_t node) {
           return graph.op(node) == OpId::kGetItem ||
                  (graph.binding(node) != nullptr && graph.binding(node)->op->outputs.size() > 1);
         });
}

bool IsOfOutputNode(const Graph& graph, int32_t value) {
  const int32_t node = graph.producer(value);
  return node >= 0 && graph.op_type(node) == "output";
}

}  // namespace quantgate
