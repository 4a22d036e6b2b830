#include "rules/backends/qnn/removed.h"

#include <algorithm>

#include "rules/graph/attributes.h"

namespace quantgate::qnn {
namespace {

bool KeepsShape(const Graph& graph, int32_t node) {
  if (graph.num_inputs(node) == 0 || graph.num_outputs(node) == 0) return false;
  const int32_t in = graph.input(node, 0);
  const int32_t out = graph.output(node, 0);
  if (in < 0 || out < 0 || !graph.has_known_shape(in) || !graph.has_known_shape(out)) return false;
  const auto& before = graph.value(in).dims();
  const auto& after = graph.value(out).dims();
  return std::equal(before.begin(), before.end(), after.begin(), after.end());
}

// As PyTorch makes attention in half precision, which the model does not have.
bool KeepsType(const Graph& graph, int32_t node) {
  if (graph.num_inputs(node) == 0 || graph.num_outputs(node) == 0) return false;
  const int32_t in = graph.input(node, 0);
  const int32_t out = graph.output(node, 0);
  return in >= 0 && out >= 0 && graph.dtype(in) == graph.dtype(out) && graph.dtype(in) != v1::DATA_TYPE_UNSPECIFIED;
}

}  // namespace

bool Drops(const Graph& graph, int32_t node) {
  return graph.origin() == v1::Graph::PT2E && graph.op(node) == OpId::kDropout &&
         IntegerOf(graph.attribute(node, "train")).value_or(0) != 0 &&
         RealOf(graph.attribute(node, "p")).value_or(0) != 0;
}

bool IsRemoved(const Graph& graph, int32_t node) {
  if (graph.origin() != v1::Graph::PT2E) return false;
  switch (graph.op(node)) {
    case OpId::kAssert:
    case OpId::kIdentity:
      return true;
    case OpId::kDropout:
      return !Drops(graph, node);
    // All multiples are 1, or all places are taken.
    case OpId::kExpand:
    case OpId::kSlice:
    case OpId::kTile:
      return KeepsShape(graph, node);
    case OpId::kCast:
    case OpId::kCastLike:
      return KeepsType(graph, node);
    default:
      return false;
  }
}

int32_t BehindRemoved(const Graph& graph, int32_t value) {
  constexpr int kMostNodes = 64;
  for (int i = 0; i < kMostNodes && value >= 0; ++i) {
    const int32_t producer = graph.producer(value);
    if (producer < 0 || !IsRemoved(graph, producer) || graph.num_inputs(producer) == 0) break;
    value = graph.input(producer, 0);
  }
  return value;
}

}  // namespace quantgate::qnn
