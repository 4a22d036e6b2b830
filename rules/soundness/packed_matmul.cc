#include "rules/soundness/packed_matmul.h"

#include <algorithm>

#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

constexpr absl::string_view kOpType = "com.microsoft::MatMulNBits";

PackedMatMul PackedMatMulOf(const Graph& graph, int32_t node) {
  PackedMatMul packed;
  const auto input = [&](int i) { return i < graph.num_inputs(node) ? graph.input(node, i) : -1; };
  packed.node = node;
  packed.weight = input(1);
  packed.scale = input(2);
  packed.zero_point = input(3);
  packed.packs_zero_points = packed.zero_point < 0 || !IsFloat(graph.dtype(packed.zero_point));
  packed.n = graph.int_attribute(node, "N", 0);
  packed.k = graph.int_attribute(node, "K", 0);
  packed.bits = graph.int_attribute(node, "bits", 4);
  packed.block_size = graph.int_attribute(node, "block_size", 0);
  return packed;
}

}  // namespace

std::vector<PackedMatMul> PackedMatMuls(const CheckContext& context) {
  const Graph& graph = context.graph();
  std::vector<PackedMatMul> found;
  const auto& symbols = graph.message().symbols();
  if (std::find(symbols.begin(), symbols.end(), kOpType) == symbols.end()) return found;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.op_type(node) != kOpType) continue;
    const PackedMatMul packed = PackedMatMulOf(graph, node);
    if (packed.weight >= 0) found.push_back(packed);
  }
  return found;
}

bool Contains(const std::vector<PackedMatMul>& packed, int32_t node) {
  const auto at = std::lower_bound(packed.begin(), packed.end(), node,
                                   [](const PackedMatMul& matmul, int32_t id) { return matmul.node < id; });
  return at != packed.end() && at->node == node;
}

}  // namespace quantgate
