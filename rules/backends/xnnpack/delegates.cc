#include "rules/backends/xnnpack/delegates.h"

#include <algorithm>

#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate::xnnpack {

Delegates::Delegates(const CheckContext& context, const ModuleResult& judged)
    : takes_(context.graph().num_nodes(), false),
      leaves_(context.graph().num_nodes(), false),
      level_(context.graph().num_nodes(), 0) {
  const Graph& graph = context.graph();
  std::vector<bool> outside(graph.num_nodes(), false);
  for (size_t i = 0; i < judged.ops.size(); ++i) {
    const int32_t node = context.resolved().ops()[i].node;
    outside[node] = !judged.ops[i].checked || judged.ops[i].refused;
    leaves_[node] = judged.ops[i].refused;
    takes_[node] = !outside[node] && !judged.ops[i].backend_ops.empty();
  }
  for (const int32_t node : graph.order()) {
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const int32_t producer = graph.input(node, i) < 0 ? -1 : graph.producer(graph.input(node, i));
      if (producer < 0) continue;
      const bool comes_back = outside[producer] && !outside[node];
      level_[node] = std::max(level_[node], level_[producer] + (comes_back ? 1 : 0));
    }
  }
}

}  // namespace quantgate::xnnpack
