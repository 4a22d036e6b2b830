#include "rules/simulator/float/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/float/gemm.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::CappedTag<float, 16>;

// One operand's steps from row to row and from term to term of a sum.
struct Steps {
  int64_t row = 0, term = 0;
};

// kRows rows and kVectors vectors of columns of the product. Each product is rounded before it is added, in the order
// of the terms: the same result on every processor (CMakeLists.txt keeps compilers from fusing the two).
template <int kRows, int kVectors>
HWY_INLINE void Tile(int64_t n, int64_t k, const float* a, Steps step, const float* b, float* c) {
  const Reals d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<Reals> sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  for (int64_t i = 0; i < k; ++i) {
    hn::Vec<Reals> values[kVectors];
    for (int v = 0; v < kVectors; ++v) values[v] = hn::LoadU(d, b + i * n + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const auto factor = hn::Set(d, a[r * step.row + i * step.term]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Add(sums[r][v], hn::Mul(factor, values[v]));
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], d, c + r * n + v * lanes);
  }
}

template <int kVectors>
void Columns(int64_t m, int64_t n, int64_t k, const float* a, Steps step, const float* b, float* c) {
  int64_t row = 0;
  for (; row + 4 <= m; row += 4) Tile<4, kVectors>(n, k, a + row * step.row, step, b, c + row * n);
  for (; row < m; ++row) Tile<1, kVectors>(n, k, a + row * step.row, step, b, c + row * n);
}

void GemmImpl(int64_t m, int64_t n, int64_t k, const float* a, int64_t row_step, int64_t term_step, const float* b,
              float* c) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Reals()));
  const Steps step{row_step, term_step};
  int64_t column = 0;
  // Four rows of four vectors, and what is multiplied, are in registers where there are 32.
  if (lanes == 16) {
    for (; column + 4 * lanes <= n; column += 4 * lanes) Columns<4>(m, n, k, a, step, b + column, c + column);
  }
  for (; column + 2 * lanes <= n; column += 2 * lanes) Columns<2>(m, n, k, a, step, b + column, c + column);
  for (; column + lanes <= n; column += lanes) Columns<1>(m, n, k, a, step, b + column, c + column);
  for (; column < n; ++column) {
    for (int64_t row = 0; row < m; ++row) {
      float sum = 0;
      for (int64_t i = 0; i < k; ++i) sum += a[row * row_step + i * term_step] * b[i * n + column];
      c[row * n + column] = sum;
    }
  }
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(GemmImpl);

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
  HWY_DYNAMIC_DISPATCH(GemmImpl)(m, n, k, a, transposed_a ? 1 : k, transposed_a ? m : 1, b, c);
}

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
