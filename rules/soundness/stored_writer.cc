#include "rules/soundness/stored_writer.h"

namespace quantgate {
namespace {

// Operators between writer and reader that leave stored integers as they are.
constexpr int kMaxHops = 16;

bool PassesOn(const Graph& graph, int32_t node) {
  const Binding* binding = graph.binding(node);
  if (binding == nullptr || binding->integer_operator || graph.num_inputs(node) == 0) return false;
  switch (binding->op->id) {
    case OpId::kIdentity:
    case OpId::kReshape:
    case OpId::kFlatten:
    case OpId::kSqueeze:
    case OpId::kUnsqueeze:
    case OpId::kTranspose:
    case OpId::kSplit:
    case OpId::kSlice:
    case OpId::kGather:
    case OpId::kExpand:
    case OpId::kTile:
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
    case OpId::kMaxPool:
      return true;
    default:
      return false;
  }
}

}  // namespace

int32_t StoredWriter(const Graph& graph, int32_t value) {
  for (int hops = 0; hops < kMaxHops && value >= 0; ++hops) {
    const int32_t producer = graph.producer(value);
    if (producer < 0) return -1;
    const Binding* binding = graph.binding(producer);
    if (binding != nullptr && (binding->integer_operator || binding->op->id == OpId::kQuantize)) return producer;
    if (!PassesOn(graph, producer)) return -1;
    value = graph.input(producer, 0);
  }
  return -1;
}

v1::DataType WrittenType(const Graph& graph, int32_t node) {
  if (node < 0) return v1::DATA_TYPE_UNSPECIFIED;
  const Binding* binding = graph.binding(node);
  if (binding == nullptr || !binding->integer_operator) return v1::DATA_TYPE_UNSPECIFIED;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const Argument argument = ArgumentAt(*binding, graph.argument(node, i));
    if (argument.role == ArgRole::kZeroPoint && argument.of_output && graph.input(node, i) >= 0) {
      return graph.dtype(graph.input(node, i));
    }
  }
  return v1::DATA_TYPE_UNSPECIFIED;
}

v1::DataType ZeroPointTypeStated(const Graph& graph, int32_t node, int input) {
  const Binding* binding = graph.binding(node);
  if (binding == nullptr) return v1::DATA_TYPE_UNSPECIFIED;
  const Argument data = ArgumentAt(*binding, graph.argument(node, input));
  if (data.role != ArgRole::kData || data.of_output) return v1::DATA_TYPE_UNSPECIFIED;
  for (int i = input + 1; i < graph.num_inputs(node); ++i) {
    const Argument argument = ArgumentAt(*binding, graph.argument(node, i));
    if (argument.role == ArgRole::kData) break;
    if (argument.role != ArgRole::kZeroPoint || argument.of_output || argument.port != data.port) continue;
    return graph.input(node, i) < 0 ? v1::DATA_TYPE_UNSPECIFIED : graph.dtype(graph.input(node, i));
  }
  return v1::DATA_TYPE_UNSPECIFIED;
}

}  // namespace quantgate
