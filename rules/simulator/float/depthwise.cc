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

  // A vector of each of kRows rows of outputs.
  template <int kRows>
  struct Outputs {
    const float* x;  // the first tap in the input row that comes next
    float* to;
    int64_t count;  // columns that are there
    hn::Vec<Reals> sums[kRows];
  };

  // Input row kInput from the first output's first tap.
  template <int kInput, int kRows>
  HWY_INLINE void AddRow(const hn::Vec<Reals> (&factors)[9], Outputs<kRows>& strip) const {
    const Reals d;
    const hn::Vec<Reals> values[3] = {hn::LoadU(d, strip.x), hn::LoadU(d, strip.x + (kStride == 1 ? 1 : second)),
                                      hn::LoadU(d, strip.x + (kStride == 1 ? 2 : 1))};
    strip.x += width;
    for (int column = 0; column < 3; ++column) {
      if constexpr (kInput % kStride == 0 && kInput / kStride < kRows) {
        auto& sum = strip.sums[kInput / kStride];
        sum = Fused(d, factors[column], values[column], sum);
      }
      if constexpr (kInput >= 1 && (kInput - 1) % kStride == 0 && (kInput - 1) / kStride < kRows) {
        auto& sum = strip.sums[(kInput - 1) / kStride];
        sum = Fused(d, factors[3 + column], values[column], sum);
      }
      if constexpr (kInput >= 2 && (kInput - 2) % kStride == 0 && (kInput - 2) / kStride < kRows) {
        auto& sum = strip.sums[(kInput - 2) / kStride];
        sum = Fused(d, factors[6 + column], values[column], sum);
      }
    }
  }
  // All strips by turns: each waits for its sums.
  template <int kInput, int kRows, class... Strips>
  HWY_INLINE void AddRows(const hn::Vec<Reals> (&factors)[9], Outputs<kRows>& first, Strips&... others) const {
    AddRow<kInput>(factors, first);
    (AddRow<kInput>(factors, others), ...);
    if constexpr (kInput < (kRows - 1) * kStride + 2) AddRows<kInput + 1>(factors, first, others...);
  }
  template <int kRows>
  HWY_INLINE Outputs<kRows> OutputsAt(int64_t row, int64_t column) const {
    Outputs<kRows> strip;
    strip.x = from + row * kStride * width + column;
    strip.to = to + row * columns + column;
    strip.count = columns - column;
    for (int r = 0; r < kRows; ++r) strip.sums[r] = hn::Zero(Reals());
    return strip;
  }
  template <int kRows>
  HWY_INLINE void Store(const Outputs<kRows>& strip) const {
    for (int r = 0; r < kRows; ++r) StoreSome(Reals(), Finished(w, strip.sums[r]), strip.count, strip.to + r * columns);
  }

  // kRows rows of outputs, as many times as they are there; then fewer.
  template <int kRows>
  HWY_INLINE void Rows(int64_t row, int64_t rows) const {
    hn::Vec<Reals> factors[9];
    for (int t = 0; t < 9; ++t) factors[t] = hn::Set(Reals(), w.weights[t]);
    int64_t column = 0;
    const auto next = [&] {
      const auto strip = OutputsAt<kRows>(row, column);
      column += kLanes;
      if (column >= columns) {
        column = 0;
        row += kRows;
      }
      return strip;
    };
    while (row + kRows <= rows) {
      auto first = next();
      if (kLanes < 16 || row + kRows > rows) {
        AddRows<0>(factors, first);
        Store(first);
        continue;
      }
      auto second = next();
      AddRows<0>(factors, first, second);
      Store(first);
      Store(second);
    }
    if constexpr (kRows > 1) Rows<kRows - 1>(row, rows);
  }
};

template <int kStride>
void ConvSquare(const ChannelTaps& taps, const ChannelWeights& weights, float* to) {
  const Square<kStride> square{
      taps.from[0], taps.from[1] - taps.from[0], taps.step / kStride, weights, taps.columns, to};
  square.template Rows<4>(0, taps.rows);
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
