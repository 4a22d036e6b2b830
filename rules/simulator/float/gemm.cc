#include "rules/simulator/float/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/float/gemm.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>

#include "rules/simulator/float/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::CappedTag<float, 16>;

// What is multiplied and its sums are in registers: there are 32 where vectors have 16 elements.
constexpr int64_t kLanes = hn::MaxLanes(Reals());
constexpr int kMostVectors = kLanes == 16 ? 4 : 2;
// As many sums of a narrow panel as of a wide one: each waits for the one before.
constexpr int MostRows(int vectors) { return vectors == 1 ? 12 : kLanes < 16 || vectors == 4 ? 6 : 8; }
constexpr int64_t kStride = kMostVectors * kLanes;
// Terms of a panel, which then is in the first cache.
constexpr int64_t kTerms = 128;

// One panel's share of the product.
struct Share {
  Panel panel;
  const float* b;  // the panel
  LeftMatrix a;    // at the panel's first term
  Finish finish;
  float* c;  // at the panel's first column
  int64_t stride;
  bool first, last;  // panel of the column
};

// `kWhole`: the panel has as many columns as vectors have elements.
template <int kRows, int kVectors, bool kWhole>
HWY_INLINE void Tile(const Share& share, int64_t row) {
  const Reals d;
  // Less than a vector in the last one of a row.
  const auto some = [&](int v) {
    return kWhole || v + 1 < kVectors ? kLanes : std::clamp<int64_t>(share.panel.columns - v * kLanes, 0, kLanes);
  };
  hn::Vec<Reals> sums[kRows][kVectors];
  float* const to = share.c + row * share.stride;
  if (share.first) {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
    }
  } else {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = LoadSome(d, to + r * share.stride + v * kLanes, some(v));
    }
  }
  const float* a = share.a.data + row * share.a.row;
  const float* b = share.b;
  for (int64_t i = 0; i < share.panel.terms; ++i, a += share.a.term, b += kStride) {
    hn::Vec<Reals> values[kVectors];
    for (int v = 0; v < kVectors; ++v) values[v] = hn::Load(d, b + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
      const auto factor = hn::Set(d, a[r * share.a.row]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = Fused(d, factor, values[v], sums[r][v]);
    }
  }
  if (share.last && share.finish.bias != nullptr) {
    for (int r = 0; r < kRows; ++r) {
      const auto bias = hn::Set(d, share.finish.bias[row + r]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Add(sums[r][v], bias);
    }
  }
  if (share.last && share.finish.relu) {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = Rectified(d, sums[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) StoreSome(d, sums[r][v], some(v), to + r * share.stride + v * kLanes);
  }
}

template <int kRows, int kVectors, bool kWhole>
void RowsFrom(const Share& share, int64_t row, int64_t m) {
  for (; row + kRows <= m; row += kRows) Tile<kRows, kVectors, kWhole>(share, row);
  if constexpr (kRows > 1) RowsFrom<kRows == 6 ? 4 : kRows / 2, kVectors, kWhole>(share, row, m);
}

template <int kVectors>
void Rows(const Share& share, int64_t m) {
  constexpr int kRows = MostRows(kVectors);
  share.panel.columns == kVectors* kLanes ? RowsFrom<kRows, kVectors, true>(share, 0, m)
                                          : RowsFrom<kRows, kVectors, false>(share, 0, m);
}

float FusedOne(float a, float b, float c) {
  const hn::CappedTag<float, 1> d;
  return hn::GetLane(Fused(d, hn::Set(d, a), hn::Set(d, b), hn::Set(d, c)));
}

#if HWY_TARGET != HWY_SCALAR
// Blocks of four elements, `stride` elements from each other.
HWY_INLINE hn::Vec<Reals> LoadBlocks(const float* from, int64_t stride) {
  const Reals d;
  if constexpr (kLanes == 16) {
    const hn::Half<Reals> half;
    const hn::Half<decltype(half)> block;
    const auto low = hn::Combine(half, hn::LoadU(block, from + stride), hn::LoadU(block, from));
    const auto high = hn::Combine(half, hn::LoadU(block, from + 3 * stride), hn::LoadU(block, from + 2 * stride));
    return hn::Combine(d, high, low);
  } else if constexpr (kLanes == 8) {
    const hn::Half<Reals> block;
    return hn::Combine(d, hn::LoadU(block, from + stride), hn::LoadU(block, from));
  } else {
    return hn::LoadU(d, from);
  }
}

// Four terms of as many rows as a vector has elements: vector i holds term i of each row, in their order.
HWY_INLINE void LoadTransposed(const float* a, int64_t stride, hn::Vec<Reals> (&terms)[4]) {
  const Reals d;
  hn::Vec<Reals> rows[4];
  for (int r = 0; r < 4; ++r) rows[r] = LoadBlocks(a + r * stride, 4 * stride);
  const auto low02 = hn::InterleaveLower(d, rows[0], rows[2]), low13 = hn::InterleaveLower(d, rows[1], rows[3]);
  const auto high02 = hn::InterleaveUpper(d, rows[0], rows[2]), high13 = hn::InterleaveUpper(d, rows[1], rows[3]);
  terms[0] = hn::InterleaveLower(d, low02, low13);
  terms[1] = hn::InterleaveUpper(d, low02, low13);
  terms[2] = hn::InterleaveLower(d, high02, high13);
  terms[3] = hn::InterleaveUpper(d, high02, high13);
}
#endif

// A panel of one column, where the terms of a row of the left matrix lie next to each other: a vector holds several
// rows.
void Single(const Share& share, int64_t m) {
  alignas(64) float column[kTerms], sums[kLanes];
  const int64_t terms = share.panel.terms;
  for (int64_t i = 0; i < terms; ++i) column[i] = share.b[i * kStride];
  for (int64_t row = 0; row < m; row += kLanes) {
    const int64_t rows = std::min(kLanes, m - row);
    float* const to = share.c + row * share.stride;
    for (int64_t r = 0; r < rows; ++r) sums[r] = share.first ? 0.0f : to[r * share.stride];
    const float* a = share.a.data + row * share.a.row;
    int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    if (rows == kLanes) {
      const Reals d;
      auto sum = hn::Load(d, sums);
      for (; i + 4 <= terms; i += 4) {
        hn::Vec<Reals> factors[4];
        LoadTransposed(a + i, share.a.row, factors);
        for (int k = 0; k < 4; ++k) sum = Fused(d, factors[k], hn::Set(d, column[i + k]), sum);
      }
      hn::Store(sum, d, sums);
    }
#endif
    for (int64_t r = 0; r < rows; ++r) {
      float sum = sums[r];
      for (int64_t k = i; k < terms; ++k) sum = FusedOne(a[r * share.a.row + k], column[k], sum);
      if (share.last && share.finish.bias != nullptr) sum += share.finish.bias[row + r];
      to[r * share.stride] = share.last && share.finish.relu && sum < 0 ? 0.0f : sum;
    }
  }
}

// A part of a matrix whose rows have `n` elements.
void CopyPanel(const Panel& panel, const float* b, int64_t n, float* to) {
  const Reals d;
  const float* from = b + panel.term * n + panel.column;
  for (int64_t i = 0; i < panel.terms; ++i, from += n, to += kStride) {
    for (int64_t v = 0; v < panel.columns; v += kLanes) {
      StoreSome(d, LoadSome(d, from + v, panel.columns - v), panel.columns - v, to + v);
    }
  }
}

// `fill`: null where the right matrix is in memory, in `b`.
void GemmImpl(int64_t m, int64_t n, int64_t k, LeftMatrix a, const FillPanel* fill, const float* b, Finish finish,
              float* c) {
  alignas(64) float panel[kTerms * kStride];
  for (int64_t column = 0, columns = 0; column < n; column += columns) {
    // What is left of two panels is divided evenly: narrow ones leave multipliers idle.
    const int64_t vectors = (n - column + kLanes - 1) / kLanes;
    const bool two = vectors > kMostVectors && vectors < 2 * kMostVectors;
    columns = std::min(n - column, two ? (vectors + 1) / 2 * kLanes : kStride);
    // One more than vectors hold is multiplied on its own.
    if (columns % kLanes == 1 && columns > 1 && a.term == 1) --columns;
    const bool single = columns == 1 && a.term == 1;
    int64_t term = 0;
    do {  // at least once: the sum of no terms is 0
      Share share{{term, std::min(kTerms, k - term), column, columns, kStride},
                  panel,
                  a,
                  finish,
                  c + column,
                  n,
                  term == 0,
                  term + kTerms >= k};
      share.a.data += term * a.term;
      if (share.panel.columns % kLanes != 0 && !single) std::fill_n(panel, share.panel.terms * kStride, 0.0f);
      fill == nullptr ? CopyPanel(share.panel, b, n, panel) : (*fill)(share.panel, panel);
      switch (single ? 0 : (share.panel.columns + kLanes - 1) / kLanes) {
        case 0:
          Single(share, m);
          break;
        case 1:
          Rows<1>(share, m);
          break;
        case 2:
          Rows<2>(share, m);
          break;
        case 3:
          Rows<std::min(3, kMostVectors)>(share, m);
          break;
        default:
          Rows<kMostVectors>(share, m);
      }
      term += kTerms;
    } while (term < k);
  }
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(GemmImpl);

void Gemm(int64_t m, int64_t n, int64_t k, LeftMatrix a, FillPanel b, Finish finish, float* c) {
  HWY_DYNAMIC_DISPATCH(GemmImpl)(m, n, k, a, &b, nullptr, finish, c);
}

void Gemm(int64_t m, int64_t n, int64_t k, LeftMatrix a, const float* b, Finish finish, float* c) {
  HWY_DYNAMIC_DISPATCH(GemmImpl)(m, n, k, a, nullptr, b, finish, c);
}

void Gemm(int64_t m, int64_t n, int64_t k, const float* a, bool transposed_a, const float* b, bool transposed_b,
          float* c) {
  if (m == 1 && transposed_b) {  // the same products with the operands exchanged, and nothing to transpose
    const auto column = [&](const Panel& panel, float* to) {
      for (int64_t i = 0; i < panel.terms; ++i) to[i * panel.stride] = a[panel.term + i];
    };
    Gemm(n, 1, k, {b, k, 1}, column, {}, c);
    return;
  }
  const auto columns = [&](const Panel& panel, float* to) {
    const float* from = b + panel.column * k + panel.term;
    for (int64_t column = 0; column < panel.columns; ++column) {
      for (int64_t i = 0; i < panel.terms; ++i) to[i * panel.stride + column] = from[column * k + i];
    }
  };
  const LeftMatrix left{a, transposed_a ? 1 : k, transposed_a ? m : 1};
  if (transposed_b) {
    Gemm(m, n, k, left, columns, {}, c);
  } else {
    Gemm(m, n, k, left, b, {}, c);
  }
}

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
