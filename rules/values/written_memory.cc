#include "rules/values/written_memory.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "rules/graph/written_buffer.h"
#include "rules/values/views.h"

namespace quantgate {
namespace {

// The value whose memory the node's results may be, or where nobody knows the operator; -1: they are new.
int32_t SharedBy(const Graph& graph, int32_t node) {
  if (graph.num_inputs(node) == 0) return -1;
  const bool is_known = graph.binding(node) != nullptr;
  if (!is_known || IsView(graph, node) || WritesInPlace(graph, node)) return graph.input(node, 0);
  switch (graph.op(node)) {
    case OpId::kCast:
    case OpId::kCastLike:
    case OpId::kDropout:
    case OpId::kFlatten:
    case OpId::kIdentity:
    case OpId::kReshape:
    case OpId::kReshapeLike: {
      const absl::string_view name = graph.op_type(node);
      const bool copies = absl::StrContains(name, "_copy.") || absl::StrContains(name, ".clone.");
      return copies ? -1 : graph.input(node, 0);
    }
    default:
      return -1;
  }
}

}  // namespace

WrittenMemory::WrittenMemory(const Graph& graph) {
  const auto assigns = [&graph](int32_t node) { return Assigns(graph, node); };
  if (absl::c_none_of(graph.unlike_nodes(), assigns)) return;
  memory_.resize(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) memory_[value] = value;
  std::vector<std::vector<int32_t>> written_by(graph.num_values());  // by memory, in file order
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const int32_t shared = SharedBy(graph, node);
    if (shared < 0) continue;
    if (assigns(node)) written_by[memory_[shared]].push_back(node);
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
