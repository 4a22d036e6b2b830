#include "rules/values/moved.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "rules/graph/port_role.h"

namespace quantgate {
namespace {

// A pad of less than nothing cuts the tensor. Where the sizes are a tensor they are not looked at.
bool TakesNothingAway(const Graph& graph, int32_t node) {
  for (const char* name : {"pad", "padding", "pads"}) {
    const v1::Attribute* sizes = graph.attribute(node, name);
    if (sizes == nullptr || sizes->value_case() != v1::Attribute::kInts) continue;
    return absl::c_all_of(sizes->ints().values(), [](int64_t size) { return size >= 0; });
  }
  return false;
}

}  // namespace

bool PutsTogether(const Binding& binding) {
  int tensors = 0;
  for (const Port& port : binding.op->inputs) {
    if (port.role == PortRole::kActivation) tensors += port.variadic ? 2 : 1;
  }
  return tensors > 1;
}

int32_t MovedBy(const Graph& graph, int32_t node) {
  if (graph.op(node) == OpId::kGetItem) {  // of what a split or the like gives
    const int32_t tuple = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
    node = tuple < 0 ? -1 : graph.producer(tuple);
    if (node < 0 || graph.op(node) == OpId::kGetItem) return -1;
  }
  const Binding* binding = graph.binding(node);
  if (binding == nullptr || (binding->op->traits & kMovesData) == 0 || PutsTogether(*binding)) return -1;
  constexpr int kFirstFew = 4;
  for (int i = 0; i < std::min(graph.num_inputs(node), kFirstFew); ++i) {
    if (RoleAt(*binding, graph.argument(node, i)) == PortRole::kActivation) return graph.input(node, i);
  }
  return -1;
}

int32_t SourceOf(const Graph& graph, int32_t value) {
  constexpr int kLongestChain = 64;
  for (int step = 0; step < kLongestChain; ++step) {
    const int32_t producer = graph.producer(value);
    const int32_t from = producer < 0 ? -1 : MovedBy(graph, producer);
    if (from < 0) break;
    value = from;
  }
  return value;
}

bool KeepsAll(const Graph& graph, int32_t node) {
  switch (graph.op(node)) {
    case OpId::kIdentity:
    case OpId::kReshape:
    case OpId::kReshapeLike:
    case OpId::kFlatten:
    case OpId::kSqueeze:
    case OpId::kUnsqueeze:
    case OpId::kTranspose:
    case OpId::kConcat:
    case OpId::kStack:
    case OpId::kExpand:
    case OpId::kExpandLike:
    case OpId::kTile:
    case OpId::kRepeatInterleave:
    case OpId::kFlip:
    case OpId::kRoll:
    case OpId::kSort:
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
    case OpId::kChannelShuffle:
    case OpId::kCopy:
      return true;
    case OpId::kPad:
    case OpId::kReflectionPad:
    case OpId::kReplicationPad:
      return TakesNothingAway(graph, node);
    case OpId::kSlice: {  // the whole range of an axis, as exporters write it
      const int32_t from = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
      const int32_t to = graph.num_outputs(node) > 0 ? graph.output(node, 0) : -1;
      return from >= 0 && to >= 0 && graph.has_known_shape(from) && graph.has_known_shape(to) &&
             absl::c_equal(graph.value(graph.value_like(from)).dims(), graph.value(graph.value_like(to)).dims());
    }
    default:
      return false;
  }
}

}  // namespace quantgate
