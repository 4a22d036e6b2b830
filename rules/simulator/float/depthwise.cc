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

// A vector of each of kRows rows of outputs, from `column` on.
template <int kRows>
HWY_INLINE void Strip(const ChannelTaps& taps, const float* weights, float bias, int64_t row, int64_t column,
                      float* to) {
  const Reals d;
  hn::Vec<Reals> sums[kRows];
  for (int r = 0; r < kRows; ++r) sums[r] = hn::Zero(d);
  const int64_t at = row * taps.step + column;
  for (size_t t = 0; t < taps.from.size(); ++t) {
    const float* from = taps.from[t] + at;
    const auto weight = hn::Set(d, weights[t]);
    for (int r = 0; r < kRows; ++r) {
      sums[r] = Fused(d, weight, hn::LoadU(d, from + r * taps.step), sums[r]);
    }
  }
  to += row * taps.columns + column;
  const int64_t count = taps.columns - column;
  for (int r = 0; r < kRows; ++r, to += taps.columns) {
    StoreSome(d, hn::Add(sums[r], hn::Set(d, bias)), count, to);
  }
}

void ConvChannelImpl(const ChannelTaps& taps, const float* weights, float bias, float* to) {
  constexpr int kRows = 4;
  int64_t row = 0;
  for (; row + kRows <= taps.rows; row += kRows) {
    for (int64_t x = 0; x < taps.columns; x += kLanes) Strip<kRows>(taps, weights, bias, row, x, to);
  }
  for (; row < taps.rows; ++row) {
    for (int64_t x = 0; x < taps.columns; x += kLanes) Strip<1>(taps, weights, bias, row, x, to);
  }
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(ConvChannelImpl);

void ConvChannel(const ChannelTaps& taps, const float* weights, float bias, float* to) {
  HWY_DYNAMIC_DISPATCH(ConvChannelImpl)(taps, weights, bias, to);
}

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
