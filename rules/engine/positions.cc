#include "rules/engine/positions.h"

#include "absl/container/flat_hash_map.h"

namespace quantgate {

Positions::Positions(const Graph& graph) : graph_(graph), nodes_(graph.num_nodes()) {
  // A graph says each operator's name once: its address stands for it.
  absl::flat_hash_map<const char*, int32_t> counts;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) nodes_[node] = counts[graph.op_type(node).data()]++;
}

int32_t Positions::Of(const Place& place) const {
  if (place.node >= 0) return nodes_[place.node];
  if (place.value < 0 || graph_.producer(place.value) >= 0) return -1;
  if (values_.empty()) {
    values_.resize(graph_.num_values());
    int32_t count = 0;
    for (int32_t value = 0; value < graph_.num_values(); ++value) {
      values_[value] = count;
      count += graph_.is_graph_input(value) || graph_.is_constant(value) ? 1 : 0;
    }
  }
  return values_[place.value];
}

}  // namespace quantgate
