// com.microsoft::MatMulNBits: block-wise weights packed by the operator itself. Weights are [N, blocks, bytes per
// block], scales [N, blocks], zero points packed like the weights, or one float each: their type says which.
#ifndef QUANTGATE_RULES_SOUNDNESS_PACKED_MATMUL_H_
#define QUANTGATE_RULES_SOUNDNESS_PACKED_MATMUL_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate {

struct PackedMatMul {
  int32_t node = -1;
  int32_t weight = -1;
  int32_t scale = -1;
  int32_t zero_point = -1;
  bool packs_zero_points = true;
  int64_t n = 0;
  int64_t k = 0;
  int64_t bits = 0;
  int64_t block_size = 0;

  // Sizes are in a range where the products below cannot overflow.
  bool valid() const {
    return n > 0 && k > 0 && n <= (int64_t{1} << 31) && k <= (int64_t{1} << 31) && bits > 0 && bits <= 8 &&
           block_size > 0 && block_size <= (1 << 20);
  }
  int64_t blocks() const { return (k + block_size - 1) / block_size; }
  int64_t bytes_per_block() const { return (block_size * bits + 7) / 8; }
  int64_t zero_points_per_output() const { return packs_zero_points ? (blocks() * bits + 7) / 8 : blocks(); }
};

// All that have weights, in node order.
std::vector<PackedMatMul> PackedMatMuls(const CheckContext& context);
bool Contains(const std::vector<PackedMatMul>& packed, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_PACKED_MATMUL_H_
