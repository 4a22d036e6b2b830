#include "rules/backends/folding.h"

#include "absl/algorithm/container.h"

namespace quantgate {
namespace {

// What needs an input's shape alone.
bool IsShapeQuery(OpId id) { return id == OpId::kShape || id == OpId::kSize || id == OpId::kFillLike; }

// Same inputs, other outputs: nothing to fold.
bool IsRandom(OpId id) {
  return id == OpId::kRandom || id == OpId::kRandomLike || id == OpId::kBernoulli || id == OpId::kMultinomial;
}

bool Computable(const Graph& graph, const std::vector<bool>& folded, int32_t node) {
  const OpId id = graph.op(node);
  if (IsRandom(id) || id == OpId::kUnknown || id == OpId::kOpaque || id == OpId::kPlaceholder) return false;
  if (IsShapeQuery(id))
    return graph.num_inputs(node) > 0 && graph.input(node, 0) >= 0 && graph.has_known_shape(graph.input(node, 0));
  if (graph.binding(node)->op->traits & kControlFlow) return false;
  // ExecuTorch lifts what a generator makes into a constant and emits the rest, attention masks and all.
  if (graph.origin() == v1::Graph::PT2E) return IsFixedGenerator(id);
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    if (value >= 0 && !folded[value]) return false;
  }
  return true;
}

// ExecuTorch folds nodes of these kinds alone, and most models have none.
bool MayFoldNodes(const Graph& graph) {
  return absl::c_any_of(graph.unlike_nodes(), [&graph](int32_t node) {
    return IsShapeQuery(graph.op(node)) || IsFixedGenerator(graph.op(node));
  });
}

}  // namespace

std::vector<bool> FoldedValues(const Graph& graph) {
  std::vector<bool> folded(graph.num_values());
  // A QNN graph is what the toolchain has left: the library takes its nodes as they are.
  if (graph.origin() == v1::Graph::QNN) return folded;
  if (graph.origin() == v1::Graph::PT2E) {
    for (const Graph::ConstantRecord& constant : graph.constants()) {
      folded[constant.value] = !graph.is_graph_input(constant.value);
    }
    if (!MayFoldNodes(graph)) return folded;
  } else {
    for (int32_t value = 0; value < graph.num_values(); ++value) {
      folded[value] = graph.is_static(value) && !graph.is_graph_input(value);
    }
  }
  const size_t ordered = graph.order().size() - graph.num_cyclic();
  for (int32_t node : graph.order().subspan(0, ordered)) {
    if (!Computable(graph, folded, node)) continue;
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      if (graph.output(node, i) >= 0) folded[graph.output(node, i)] = true;
    }
  }
  return folded;
}

bool IsFolded(const Graph& graph, const std::vector<bool>& folded, int32_t node) {
  bool any = false;
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    const int32_t value = graph.output(node, i);
    if (value < 0) continue;
    if (!folded[value]) return false;
    any = true;
  }
  return any;
}

}  // namespace quantgate
