#include "rules/soundness/unobserved.h"

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

bool IsOfOutputNode(const Graph& graph, int32_t value) {
  const int32_t node = graph.producer(value);
  return node >= 0 && graph.op_type(node) == "output";
}

}  // namespace quantgate
