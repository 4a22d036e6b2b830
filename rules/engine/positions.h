// Where a place is, without names: what survives when an exporter numbers its nodes anew (Location.position).
#ifndef QUANTGATE_RULES_ENGINE_POSITIONS_H_
#define QUANTGATE_RULES_ENGINE_POSITIONS_H_

#include <cstdint>
#include <vector>

#include "rules/engine/finding.h"
#include "rules/graph/graph.h"

namespace quantgate {

// The positions of one graph's places: one pass over its nodes, and one over its values when it is asked about one.
class Positions {
 public:
  explicit Positions(const Graph& graph);

  // Of a node: how many of the same operator come before it. Of a value alone: how many graph inputs and constants come
  // before it. -1: the place is the whole graph, or a value that a node writes.
  int32_t Of(const Place& place) const;

 private:
  const Graph& graph_;
  std::vector<int32_t> nodes_;
  mutable std::vector<int32_t> values_;  // empty until asked for
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_POSITIONS_H_
