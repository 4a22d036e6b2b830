#include "rules/soundness/written_memory.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "rules/soundness/annotated.h"

namespace quantgate {
namespace {

// The operator's name without namespace and overload.
absl::string_view NameOf(const Graph& graph, int32_t node) {
  absl::string_view name = graph.op_type(node);
  name = name.substr(0, name.rfind('.'));
  return name.substr(name.rfind('.') + 1);
}

// What changes a tensor's shape or its ties to others in place leaves its elements as they are.
bool Writes(const Graph& graph, int32_t node) {
  static constexpr absl::string_view kOthers[] = {
      "detach_", "requires_grad_", "squeeze_",   "swapaxes_",  "swapdims_",
      "t_",      "rename_",        "transpose_", "unsqueeze_", "as_strided_"};
  return WritesInPlace(graph, node) && !absl::c_linear_search(kOthers, NameOf(graph, node));
}

// The value whose memory the node's results may be; -1: they are new.
int32_t SharedBy(const Graph& graph, int32_t node) {
  if (graph.num_inputs(node) == 0) return -1;
  if (WritesInPlace(graph, node) || graph.binding(node) == nullptr) return graph.input(node, 0);
  const absl::string_view name = NameOf(graph, node);
  if (name == "clone" || absl::EndsWith(name, "_copy")) return -1;
  switch (graph.op(node)) {
    case OpId::kCast:
    case OpId::kCastLike:
    case OpId::kDiagonal:
    case OpId::kDropout:
    case OpId::kExpand:
    case OpId::kExpandLike:
    case OpId::kFlatten:
    case OpId::kGetItem:
    case OpId::kIdentity:
    case OpId::kReshape:
    case OpId::kReshapeLike:
    case OpId::kSelect:
    case OpId::kSlice:
    case OpId::kSplit:
    case OpId::kSqueeze:
    case OpId::kTranspose:
    case OpId::kUnfold:
    case OpId::kUnsqueeze:
    case OpId::kUnstack:
      return graph.input(node, 0);
    default:
      return -1;
  }
}

}  // namespace

WrittenMemory::WrittenMemory(const Graph& graph) {
  const auto writes = [&graph](int32_t node) { return Writes(graph, node); };
  if (absl::c_none_of(graph.unlike_nodes(), writes)) return;
  memory_.resize(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) memory_[value] = value;
  std::vector<std::vector<int32_t>> written_by(graph.num_values());  // by memory, in file order
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const int32_t shared = SharedBy(graph, node);
    if (shared < 0) continue;
    if (writes(node)) written_by[memory_[shared]].push_back(node);
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      const int32_t value = graph.output(node, i);
      if (value >= 0 && graph.producer(value) == node) memory_[value] = memory_[shared];
    }
  }
  over_at_.resize(graph.num_values(), kNever);
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    const std::vector<int32_t>& nodes = written_by[memory_[value]];
    if (nodes.empty()) continue;
    const auto next = std::upper_bound(nodes.begin(), nodes.end(), graph.producer(value));
    if (next != nodes.end()) over_at_[value] = graph.is_constant(value) ? -1 : *next;
  }
}

WrittenMemory WrittenMemoryOf(const CheckContext& context) { return WrittenMemory(context.graph()); }

}  // namespace quantgate
