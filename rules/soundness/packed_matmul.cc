#include "rules/soundness/packed_matmul.h"

namespace quantgate {

PackedMatMul PackedMatMulOf(const Graph& graph, int32_t node) {
  PackedMatMul packed;
  if (graph.op_type(node) != "com.microsoft::MatMulNBits") return packed;
  const auto input = [&](int i) { return i < graph.num_inputs(node) ? graph.input(node, i) : -1; };
  packed.weight = input(1);
  packed.scale = input(2);
  packed.zero_point = input(3);
  packed.n = graph.int_attribute(node, "N", 0);
  packed.k = graph.int_attribute(node, "K", 0);
  packed.bits = graph.int_attribute(node, "bits", 4);
  packed.block_size = graph.int_attribute(node, "block_size", 0);
  return packed;
}

}  // namespace quantgate
