// Products of float matrices. Each product of two elements is added to its sum with one rounding (a fused
// multiply-add), in the order of the terms: the same numbers on every processor.
#ifndef QUANTGATE_RULES_SIMULATOR_FLOAT_GEMM_H_
#define QUANTGATE_RULES_SIMULATOR_FLOAT_GEMM_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace quantgate::simulator {

// The left matrix as it lies in memory: elements from row to row, and from term to term of a sum.
struct LeftMatrix {
  const float* data = nullptr;
  int64_t row = 0, term = 0;
};

// A part of the right matrix: `terms` of its rows by `columns` of its columns.
struct Panel {
  int64_t term = 0, terms = 0;
  int64_t column = 0, columns = 0;
  int64_t stride = 0;  // elements of a row of the copy
};
// Copies a part of the right matrix.
using FillPanel = absl::FunctionRef<void(const Panel& panel, float* to)>;

// What becomes of sums.
struct Finish {
  const float* bias = nullptr;  // of each row, added; null: none
  bool relu = false;            // what is below 0 becomes 0
};

// c (m, n) = a (m, k) * b (k, n), row-major.
void Gemm(int64_t m, int64_t n, int64_t k, LeftMatrix a, FillPanel b, Finish finish, float* c);
void Gemm(int64_t m, int64_t n, int64_t k, LeftMatrix a, const float* b, Finish finish, float* c);

// The same of matrices in memory; a transposed operand lies there as (k, m) or (n, k).
void Gemm(int64_t m, int64_t n, int64_t k, const float* a, bool transposed_a, const float* b, bool transposed_b,
          float* c);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_FLOAT_GEMM_H_
