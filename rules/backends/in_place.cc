#include "rules/backends/in_place.h"

namespace quantgate {

bool WritesIntoSelection(const Graph& graph, int32_t node) {
  const absl::string_view type = graph.op_type(node);
  if (type != "aten.copy_.default" && type != "aten.fill_.Scalar" && type != "aten.fill_.Tensor") return false;
  const int32_t written = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
  return written >= 0 && graph.producer(written) >= 0 && graph.op_type(graph.producer(written)) == "aten.select.int";
}

}  // namespace quantgate
