#include "rules/backends/ethos_u/used.h"

#include <cstdint>

#include "absl/strings/string_view.h"

namespace quantgate::ethos_u {
namespace {

bool IsPlacedType(v1::DataType type) {
  return type == v1::DATA_TYPE_INT8 || type == v1::DATA_TYPE_UINT8 || type == v1::DATA_TYPE_INT16 ||
         type == v1::DATA_TYPE_INT32;
}

// Its second argument says what the shape of the output says.
bool IgnoresShape(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  if (op != "RESHAPE" && op != "RESIZE_BILINEAR" && op != "RESIZE_NEAREST_NEIGHBOR") return false;
  const int32_t data = graph.input(node, 0);
  if (data < 0 || !IsPlacedType(graph.dtype(data))) return false;
  return graph.dtype(data) == v1::DATA_TYPE_INT32 || graph.value_spec(data) >= 0;
}

}  // namespace

std::vector<bool> UsedNodes(const CheckContext& context) {
  const Graph& graph = context.graph();
  std::vector<bool> used(graph.num_nodes(), false);
  std::vector<int32_t> left;
  const auto use = [&](int32_t node) {
    if (node < 0 || used[node]) return;
    used[node] = true;
    left.push_back(node);
  };
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    bool gives = graph.num_outputs(node) == 0;  // it works by what it writes elsewhere
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      gives = gives || (graph.output(node, i) >= 0 && graph.is_graph_output(graph.output(node, i)));
    }
    if (gives) use(node);
  }
  while (!left.empty()) {
    const int32_t node = left.back();
    left.pop_back();
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      if (graph.input(node, i) < 0 || (i == 1 && IgnoresShape(graph, node))) continue;
      use(graph.producer(graph.input(node, i)));
    }
  }
  return used;
}

std::vector<Readers> ReadersOf(const CheckContext& context) {
  const Graph& graph = context.graph();
  const std::vector<bool>& used = context.Once(UsedNodes);
  std::vector<Readers> readers(graph.num_values());
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; used[node] && i < graph.num_inputs(node); ++i) {
      if (graph.input(node, i) < 0) continue;
      Readers& of_value = readers[graph.input(node, i)];
      ++of_value.count;
      of_value.last = node;
    }
  }
  return readers;
}

}  // namespace quantgate::ethos_u
