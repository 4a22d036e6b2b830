#include "rules/backends/extreme_places.h"

#include "absl/strings/string_view.h"

namespace quantgate {

bool KeepsPlaces(const Graph& graph, int32_t node) {
  const OpId id = graph.op(node);
  if (graph.origin() != v1::Graph::PT2E || (id != OpId::kMaxDim && id != OpId::kMinDim)) return false;
  const absl::string_view source = graph.symbol(graph.node(node).source_fn());
  return !source.empty() && source != "torch.max" && source != "torch.min";
}

bool RefusesPlaces(const NodeView& view) {
  const bool quantized = view.input(0) != nullptr && view.input(0)->quantized;
  return KeepsPlaces(view.graph(), view.node()) && quantized && IsRead(view, view.output(1)) &&
         !IsRead(view, view.output(0));
}

}  // namespace quantgate
