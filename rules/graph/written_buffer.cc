#include "rules/graph/written_buffer.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace quantgate {

bool WritesInPlace(const Graph& graph, int32_t node) {
  if (graph.origin() != v1::Graph::PT2E) return false;
  absl::string_view name = graph.op_type(node);  // aten.index_put_.default
  name = name.substr(0, name.rfind('.'));
  // __and__ gives a new tensor, __iand__ does not.
  if (absl::EndsWith(name, "__")) return absl::StrContains(name, ".__i");
  return absl::EndsWith(name, "_");
}

bool IsWrittenBuffer(const Graph& graph, int32_t node, int i) {
  int32_t value = graph.input(node, i);
  if (value < 0 || graph.argument(node, i) != 0 || !graph.is_static(value) || !WritesInPlace(graph, node)) return false;
  // A view of a buffer counts, one of a fill does not.
  constexpr int kLongestChain = 64;
  for (int step = 0; step < kLongestChain && value >= 0 && !graph.is_constant(value); ++step) {
    const int32_t producer = graph.producer(value);
    value = producer >= 0 && graph.num_inputs(producer) > 0 ? graph.input(producer, 0) : -1;
  }
  return value >= 0 && graph.is_constant(value);
}

}  // namespace quantgate
