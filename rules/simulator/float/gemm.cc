#include "rules/simulator/float/gemm.h"

#include <algorithm>
#include <vector>

namespace quantgate::simulator {
namespace {

// Rows that are computed together, so that a row of b is read once for all of them.
constexpr int64_t kRows = 4;
// Columns whose sums stay in the first cache.
constexpr int64_t kColumns = 512;

}  // namespace

void Gemm(int64_t m, int64_t n, int64_t k, const float* a, bool transposed_a, const float* b, bool transposed_b,
          float* c) {
  std::vector<float> turned;
  if (transposed_b) {
    turned.resize(static_cast<size_t>(k * n));
    for (int64_t column = 0; column < n; ++column) {
      for (int64_t i = 0; i < k; ++i) turned[i * n + column] = b[column * k + i];
    }
    b = turned.data();
  }
  const int64_t row_step = transposed_a ? 1 : k;
  const int64_t k_step = transposed_a ? m : 1;
  for (int64_t first = 0; first < n; first += kColumns) {
    const int64_t columns = std::min(kColumns, n - first);
    for (int64_t row = 0; row < m; row += kRows) {
      const int64_t rows = std::min(kRows, m - row);
      float sums[kRows][kColumns];
      for (int64_t r = 0; r < rows; ++r) std::fill_n(sums[r], columns, 0.0f);
      for (int64_t i = 0; i < k; ++i) {
        const float* from = b + i * n + first;
        const float* factor = a + row * row_step + i * k_step;
        if (rows == kRows) {
          const float f0 = factor[0], f1 = factor[row_step], f2 = factor[2 * row_step], f3 = factor[3 * row_step];
          for (int64_t column = 0; column < columns; ++column) {
            const float value = from[column];
            sums[0][column] += f0 * value;
            sums[1][column] += f1 * value;
            sums[2][column] += f2 * value;
            sums[3][column] += f3 * value;
          }
        } else {
          for (int64_t r = 0; r < rows; ++r) {
            const float f = factor[r * row_step];
            for (int64_t column = 0; column < columns; ++column) sums[r][column] += f * from[column];
          }
        }
      }
      for (int64_t r = 0; r < rows; ++r) std::copy_n(sums[r], columns, c + (row + r) * n + first);
    }
  }
}

}  // namespace quantgate::simulator
