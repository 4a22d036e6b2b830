#include "rules/simulator/float/depthwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/float/depthwise.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>

#include "rules/simulator/float/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::CappedTag<float, 16>;
constexpr int64_t kLanes = hn::MaxLanes(Reals());

HWY_INLINE hn::Vec<Reals> Finished(const ChannelWeights& w, hn::Vec<Reals> sum) {
  sum = hn::Add(sum, hn::Set(Reals(), w.bias));
  return w.relu ? Rectified(Reals(), sum) : sum;
}

// A vector of each of kRows rows of outputs, from `column` on.
template <int kRows>
HWY_INLINE void Strip(const ChannelTaps& taps, const ChannelWeights& w, int64_t row, int64_t column, float* to) {
  const Reals d;
  hn::Vec<Reals> sums[kRows];
  for (int r = 0; r < kRows; ++r) sums[r] = hn::Zero(d);
  const int64_t at = row * taps.step + column;
  for (size_t t = 0; t < taps.from.size(); ++t) {
    const float* from = taps.from[t] + at;
    const auto weight = hn::Set(d, w.weights[t]);
    for (int r = 0; r < kRows; ++r) {
      sums[r] = Fused(d, weight, hn::LoadU(d, from + r * taps.step), sums[r]);
    }
  }
  to += row * taps.columns + column;
  const int64_t count = taps.columns - column;
  for (int r = 0; r < kRows; ++r, to += taps.columns) {
    StoreSome(d, Finished(w, sums[r]), count, to);
  }
}

// Three by three taps, whose rows lie `width` elements from each other and the third of which is one output behind the
// first. What is read once is added to all outputs under whose taps it lies; each output's taps come in their order.
template <int kStride>
struct Square {
  const float* from;  // the first tap
  int64_t second;     // from it to the second one
  int64_t width;
  const ChannelWeights& w;
  int64_t columns;
  float* to;

  // Input row kInput from the first output's first tap: `x` is the place of that tap in it.
  template <int kInput, int kRows>
  HWY_INLINE void Add(const hn::Vec<Reals> (&factors)[9], const float* x, hn::Vec<Reals> (&sums)[kRows]) const {
    if constexpr (kInput < (kRows - 1) * kStride + 3) {
      const Reals d;
      const hn::Vec<Reals> values[3] = {hn::LoadU(d, x), hn::LoadU(d, x + (kStride == 1 ? 1 : second)),
                                        hn::LoadU(d, x + (kStride == 1 ? 2 : 1))};
      for (int column = 0; column < 3; ++column) {
        if constexpr (kInput % kStride == 0 && kInput / kStride < kRows) {
          sums[kInput / kStride] = Fused(d, factors[column], values[column], sums[kInput / kStride]);
        }
        if constexpr (kInput >= 1 && (kInput - 1) % kStride == 0 && (kInput - 1) / kStride < kRows) {
          sums[(kInput - 1) / kStride] = Fused(d, factors[3 + column], values[column], sums[(kInput - 1) / kStride]);
        }
        if constexpr (kInput >= 2 && (kInput - 2) % kStride == 0 && (kInput - 2) / kStride < kRows) {
          sums[(kInput - 2) / kStride] = Fused(d, factors[6 + column], values[column], sums[(kInput - 2) / kStride]);
        }
      }
      Add<kInput + 1, kRows>(factors, x + width, sums);
    }
  }
  // kRows rows of outputs, as many times as they are there; then fewer.
  template <int kRows>
  HWY_INLINE void Rows(int64_t row, int64_t rows) const {
    const Reals d;
    hn::Vec<Reals> factors[9];
    for (int t = 0; t < 9; ++t) factors[t] = hn::Set(d, w.weights[t]);
    for (; row + kRows <= rows; row += kRows) {
      for (int64_t column = 0; column < columns; column += kLanes) {
        hn::Vec<Reals> sums[kRows];
        for (int r = 0; r < kRows; ++r) sums[r] = hn::Zero(d);
        Add<0, kRows>(factors, from + row * kStride * width + column, sums);
        float* const out = to + row * columns + column;
        for (int r = 0; r < kRows; ++r) StoreSome(d, Finished(w, sums[r]), columns - column, out + r * columns);
      }
    }
    if constexpr (kRows > 1) Rows<kRows == 7 ? 4 : kRows / 2>(row, rows);
  }
};

template <int kStride>
void ConvSquare(const ChannelTaps& taps, const ChannelWeights& weights, float* to) {
  const Square<kStride> square{
      taps.from[0], taps.from[1] - taps.from[0], taps.step / kStride, weights, taps.columns, to};
  square.template Rows<kLanes == 16 ? 7 : 4>(0, taps.rows);
}

// Whether taps are three rows of three as Square has them, for outputs `stride` input rows from each other.
bool AreSquare(const ChannelTaps& taps, int64_t stride) {
  if (taps.from.size() != 9 || taps.step % stride != 0) return false;
  const int64_t second = taps.from[1] - taps.from[0], third = taps.from[2] - taps.from[0];
  if (stride == 1 ? second != 1 || third != 2 : third != 1) return false;
  for (size_t t = 3; t < 9; ++t) {
    if (taps.from[t] - taps.from[t - 3] != taps.step / stride) return false;
  }
  return true;
}

void ConvChannelImpl(const ChannelTaps& taps, const ChannelWeights& weights, float* to) {
  if (AreSquare(taps, 1)) return ConvSquare<1>(taps, weights, to);
  if (AreSquare(taps, 2)) return ConvSquare<2>(taps, weights, to);
  constexpr int kRows = 4;
  int64_t row = 0;
  for (; row + kRows <= taps.rows; row += kRows) {
    for (int64_t x = 0; x < taps.columns; x += kLanes) Strip<kRows>(taps, weights, row, x, to);
  }
  for (; row < taps.rows; ++row) {
    for (int64_t x = 0; x < taps.columns; x += kLanes) Strip<1>(taps, weights, row, x, to);
  }
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(ConvChannelImpl);

void ConvChannel(const ChannelTaps& taps, const ChannelWeights& weights, float* to) {
  HWY_DYNAMIC_DISPATCH(ConvChannelImpl)(taps, weights, to);
}

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
