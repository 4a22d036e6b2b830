#include "rules/soundness/stored_writer.h"

#include "absl/algorithm/container.h"

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

// The node that made the numbers of a stored tensor, or joined them; -1: none.
int32_t Passed(const Graph& graph, int32_t value) {
  for (int hops = 0; hops < kMaxHops && value >= 0; ++hops) {
    const int32_t producer = graph.producer(value);
    if (producer < 0 || !PassesOn(graph, producer)) return producer;
    value = graph.input(producer, 0);
  }
  return -1;
}

// The first input of those that a node takes elements of as they are; -1: none.
int FirstJoined(const Graph& graph, int32_t node) {
  const Binding* binding = node < 0 ? nullptr : graph.binding(node);
  if (binding == nullptr || binding->integer_operator) return -1;
  if (binding->op->id == OpId::kConcat) return 0;
  return binding->op->id == OpId::kWhere ? 1 : -1;  // behind the condition
}

}  // namespace

int32_t StoredWriter(const Graph& graph, int32_t value) {
  const int32_t producer = Passed(graph, value);
  const Binding* binding = producer < 0 ? nullptr : graph.binding(producer);
  const bool writes = binding != nullptr && (binding->integer_operator || binding->op->id == OpId::kQuantize);
  return writes ? producer : -1;
}

std::vector<int32_t> StoredWriters(const Graph& graph, int32_t value) {
  constexpr int kMaxJoined = 64;
  int joined = 0;
  std::vector<int32_t> writers;
  std::vector<int32_t> values = {value};
  for (size_t i = 0; i < values.size(); ++i) {
    const int32_t writer = StoredWriter(graph, values[i]);
    if (writer >= 0 && !absl::c_linear_search(writers, writer)) writers.push_back(writer);
    if (writer >= 0) continue;
    const int32_t joint = Passed(graph, values[i]);
    for (int k = FirstJoined(graph, joint); k >= 0 && k < graph.num_inputs(joint) && joined < kMaxJoined;
         ++k, ++joined) {
      const int32_t part = graph.input(joint, k);
      if (part >= 0 && !absl::c_linear_search(values, part)) values.push_back(part);
    }
  }
  return writers;
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
