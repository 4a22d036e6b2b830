#include "rules/simulator/kernels/exact_float.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/kernels/exact_float.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Integers = hn::RebindToSigned<Floats>;

// One vector of columns for up to eight rows.
template <int kRows>
void MultiplyColumns(const float* a, int64_t stride, int64_t depth, const float* panel, bool first, int64_t width,
                     int32_t* sums) {
  const Floats d;
  const Integers di;
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (int64_t k = 0; k < depth; ++k) {
    const auto b = hn::LoadU(d, panel + k * kPanel);
    const float* at = a + k;
    s0 = hn::MulAdd(hn::Set(d, at[0]), b, s0);
    if constexpr (kRows > 1) s1 = hn::MulAdd(hn::Set(d, at[stride]), b, s1);
    if constexpr (kRows > 2) s2 = hn::MulAdd(hn::Set(d, at[2 * stride]), b, s2);
    if constexpr (kRows > 3) s3 = hn::MulAdd(hn::Set(d, at[3 * stride]), b, s3);
    if constexpr (kRows > 4) s4 = hn::MulAdd(hn::Set(d, at[4 * stride]), b, s4);
    if constexpr (kRows > 5) s5 = hn::MulAdd(hn::Set(d, at[5 * stride]), b, s5);
    if constexpr (kRows > 6) s6 = hn::MulAdd(hn::Set(d, at[6 * stride]), b, s6);
    if constexpr (kRows > 7) s7 = hn::MulAdd(hn::Set(d, at[7 * stride]), b, s7);
  }
  const auto add = [&](int row, auto sum) {
    int32_t* to = sums + row * width;
    const auto whole = hn::NearestInt(sum);
    hn::StoreU(first ? whole : hn::Add(hn::LoadU(di, to), whole), di, to);
  };
  add(0, s0);
  if constexpr (kRows > 1) add(1, s1);
  if constexpr (kRows > 2) add(2, s2);
  if constexpr (kRows > 3) add(3, s3);
  if constexpr (kRows > 4) add(4, s4);
  if constexpr (kRows > 5) add(5, s5);
  if constexpr (kRows > 6) add(6, s6);
  if constexpr (kRows > 7) add(7, s7);
}

void MultiplyTileImpl(const float* a, int64_t rows, int64_t depth, const float* panels, int64_t count,
                      int64_t exact_depth, int32_t* sums) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Floats())), width = count * kPanel;
  if (depth == 0) std::fill_n(sums, rows * width, 0);
  for (int64_t first = 0; first < depth; first += exact_depth) {
    const int64_t some = std::min(exact_depth, depth - first);
    for (int64_t column = 0; column < width; column += lanes) {
      const float* b = panels + column / kPanel * depth * kPanel + first * kPanel + column % kPanel;
      int64_t row = 0;
      const auto multiply = [&](auto function, int64_t taken) {
        function(a + row * depth + first, depth, some, b, first == 0, width, sums + row * width + column);
        row += taken;
      };
      while (row + 8 <= rows) multiply(MultiplyColumns<8>, 8);
      while (row + 4 <= rows) multiply(MultiplyColumns<4>, 4);
      while (row < rows) multiply(MultiplyColumns<1>, 1);
    }
  }
}

void MultiplyTapsImpl(const float* const* x, const float* w, int64_t taps, int64_t size, int32_t* sums) {
  const Floats d;
  const Integers di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    auto sum = hn::Zero(d);
    for (int64_t tap = 0; tap < taps; ++tap) {
      if (x[tap] != nullptr) sum = hn::MulAdd(hn::LoadU(d, x[tap] + i), hn::LoadU(d, w + tap * size + i), sum);
    }
    hn::StoreU(hn::NearestInt(sum), di, sums + i);
  }
  for (; i < size; ++i) {
    float sum = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      if (x[tap] != nullptr) sum += x[tap][i] * w[tap * size + i];
    }
    sums[i] = static_cast<int32_t>(sum);
  }
}

void RescaleRowImpl(const int32_t* sums, const int32_t* bias, const float* scales, int64_t size, int32_t low,
                    int32_t high, int32_t zero_point, int32_t* out) {
  const hn::CappedTag<float, 16> d;
  const Integers di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto least = hn::Set(d, static_cast<float>(low)), most = hn::Set(d, static_cast<float>(high));
  const auto zero = hn::Set(di, zero_point);
  int64_t i = 0;
  const auto rescaled = [&](auto total, auto scale) {
    const auto real = hn::Mul(hn::ConvertTo(d, total), scale);
    return hn::Add(hn::NearestInt(hn::Min(hn::Max(real, least), most)), zero);
  };
  for (; i + lanes <= size; i += lanes) {
    const auto total = hn::Add(hn::LoadU(di, sums + i), hn::LoadU(di, bias + i));
    hn::StoreU(rescaled(total, hn::LoadU(d, scales + i)), di, out + i);
  }
  if (i == size) return;
  HWY_ALIGN int32_t part[16] = {};
  HWY_ALIGN float part_scales[16] = {};
  for (int64_t k = 0; i + k < size; ++k) {
    part[k] = sums[i + k] + bias[i + k];
    part_scales[k] = scales[i + k];
  }
  hn::Store(rescaled(hn::Load(di, part), hn::Load(d, part_scales)), di, part);
  std::copy_n(part, size - i, out + i);
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(MultiplyTileImpl);
HWY_EXPORT(MultiplyTapsImpl);
HWY_EXPORT(RescaleRowImpl);

int64_t ExactDepth(int64_t largest_a, int64_t largest_b) {
  const int64_t largest = std::max<int64_t>(largest_a, 1) * std::max<int64_t>(largest_b, 1);
  return (int64_t{1} << 24) / largest;
}

std::vector<float> PackPanels(const int16_t* b, int64_t columns, int64_t depth) {
  const int64_t panels = (columns + kPanel - 1) / kPanel;
  std::vector<float> to(static_cast<size_t>(panels * depth * kPanel));
  for (int64_t c = 0; c < columns; ++c) {
    float* at = to.data() + c / kPanel * depth * kPanel + c % kPanel;
    for (int64_t k = 0; k < depth; ++k) at[k * kPanel] = b[c * depth + k];
  }
  return to;
}

void MultiplyTile(const float* a, int64_t rows, int64_t depth, const float* panels, int64_t count, int64_t exact_depth,
                  int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(MultiplyTileImpl)(a, rows, depth, panels, count, exact_depth, sums);
}

void MultiplyTaps(const float* const* x, const float* w, int64_t taps, int64_t size, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(MultiplyTapsImpl)(x, w, taps, size, sums);
}

void RescaleRow(const int32_t* sums, const int32_t* bias, const float* scales, int64_t size, int32_t low, int32_t high,
                int32_t zero_point, int32_t* out) {
  HWY_DYNAMIC_DISPATCH(RescaleRowImpl)(sums, bias, scales, size, low, high, zero_point, out);
}

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
