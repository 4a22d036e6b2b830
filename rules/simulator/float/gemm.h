// Product of two float matrices.
#ifndef QUANTGATE_RULES_SIMULATOR_FLOAT_GEMM_H_
#define QUANTGATE_RULES_SIMULATOR_FLOAT_GEMM_H_

#include <cstdint>

namespace quantgate::simulator {

// c (m, n) = a (m, k) * b (k, n), row-major; a transposed operand lies in memory as (k, m) or (n, k).
void Gemm(int64_t m, int64_t n, int64_t k, const float* a, bool transposed_a, const float* b, bool transposed_b,
          float* c);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_FLOAT_GEMM_H_
