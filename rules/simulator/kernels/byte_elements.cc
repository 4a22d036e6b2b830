#include "rules/simulator/kernels/byte_elements.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/kernels/byte_elements.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::CappedTag<float, 16>;
using Wholes = hn::RebindToSigned<Reals>;
using Quarters = hn::Rebind<uint8_t, Reals>;
using Real = hn::Vec<Reals>;

// Integers as reals, and back: their bytes shifted to unsigned ones.
HWY_INLINE Real LoadReals(const uint8_t* from, hn::Vec<Quarters> flip, hn::Vec<Wholes> offset) {
  const auto bytes = hn::Xor(hn::LoadU(Quarters(), from), flip);
  return hn::ConvertTo(Reals(), hn::Sub(hn::PromoteTo(Wholes(), bytes), offset));
}
HWY_INLINE void StoreReals(Real x, hn::Vec<Wholes> offset, hn::Vec<Quarters> flip, uint8_t* to) {
  hn::StoreU(hn::Xor(hn::DemoteTo(Quarters(), hn::Add(hn::NearestInt(x), offset)), flip), Quarters(), to);
}

int32_t WholeOf(uint8_t byte, ByteSign sign) { return static_cast<int32_t>(byte ^ sign.flip) - sign.offset; }
uint8_t ByteOf(int32_t whole, ByteSign sign) { return static_cast<uint8_t>(whole + sign.offset) ^ sign.flip; }

void AddBytesImpl(const ByteSum& s, const uint8_t* a, const uint8_t* b, int64_t count, uint8_t* out) {
  int64_t i = 0;
#if HWY_NATIVE_FMA
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Reals()));
  const auto a_flip = hn::Set(Quarters(), s.a_sign.flip), b_flip = hn::Set(Quarters(), s.b_sign.flip);
  const auto out_flip = hn::Set(Quarters(), s.out_sign.flip);
  const auto a_offset = hn::Set(Wholes(), s.a_sign.offset), b_offset = hn::Set(Wholes(), s.b_sign.offset);
  const auto out_offset = hn::Set(Wholes(), s.out_sign.offset);
  const Real a_factor = hn::Set(Reals(), s.a_factor), b_factor = hn::Set(Reals(), s.b_factor);
  const Real fixed = hn::Set(Reals(), s.fixed);
  const Real low = hn::Set(Reals(), static_cast<float>(s.low)), high = hn::Set(Reals(), static_cast<float>(s.high));
  for (; i + lanes <= count; i += lanes) {
    const Real y = hn::MulAdd(LoadReals(b + i, b_flip, b_offset), b_factor, fixed);
    const Real sum = hn::MulAdd(LoadReals(a + i, a_flip, a_offset), a_factor, y);
    StoreReals(hn::Min(hn::Max(sum, low), high), out_offset, out_flip, out + i);
  }
#endif
  for (; i < count; ++i) {
    const float x = static_cast<float>(WholeOf(a[i], s.a_sign)), y = static_cast<float>(WholeOf(b[i], s.b_sign));
    const float sum = std::fma(x, s.a_factor, std::fma(y, s.b_factor, s.fixed));
    const float clamped = std::clamp(sum, static_cast<float>(s.low), static_cast<float>(s.high));
    out[i] = ByteOf(static_cast<int32_t>(std::nearbyint(clamped)), s.out_sign);
  }
}

// Rounds quotients by a scale to the integers in [low, high] (at most 255 from zero), ties to even.
class Rounding {
 public:
  Rounding(float scale, int32_t low, int32_t high)
      : divides_(!(scale > 1e-30f && scale < 1e30f)),
        scale_(hn::Set(Reals(), scale)),
        reciprocal_(hn::Set(Reals(), 1.0f / scale)),
        low_(hn::Set(Reals(), static_cast<float>(low))),
        high_(hn::Set(Reals(), static_cast<float>(high))),
        round_(hn::Set(Reals(), kRound)) {}

  // The integer plus kRound, whose last bits it is then. What is not a number becomes low.
  HWY_INLINE Real operator()(Real x) const {
    Real clamped = Clamp(hn::Mul(x, reciprocal_));
    Real rounded = hn::Add(clamped, round_);
    // Products by the reciprocal are within a 2^22nd of the quotients, and round to the same integers but close to the
    // middle between two. Scales whose reciprocals lose digits are divided by.
    const Real off = hn::Abs(hn::Sub(clamped, hn::Sub(rounded, round_)));
    const auto close =
        hn::Ge(hn::Add(off, hn::Mul(hn::Abs(clamped), hn::Set(Reals(), 0x1p-22f))), hn::Set(Reals(), 0.5f));
    if (divides_ || HWY_UNLIKELY(!hn::AllFalse(Reals(), close))) {
      rounded = hn::Add(Clamp(hn::Div(x, scale_)), round_);
    }
    return rounded;
  }
  HWY_INLINE Real Number(Real rounded) const { return hn::Sub(rounded, round_); }

  static constexpr float kRound = 12582912;  // 1.5 * 2^23

 private:
  HWY_INLINE Real Clamp(Real x) const { return hn::Min(hn::IfThenElse(hn::Gt(x, low_), x, low_), high_); }

  const bool divides_;
  const Real scale_, reciprocal_, low_, high_, round_;
};

// Calls `body` with each vector's elements, the last of which may be fewer: those are copied and back.
template <class Element, class Body>
HWY_INLINE void EachVector(absl::Span<const float> x, Element* out, const Body& body) {
  const size_t lanes = hn::Lanes(Reals());
  size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes) body(x.data() + i, out + i);
  if (i == x.size()) return;
  HWY_ALIGN float last[16] = {};
  HWY_ALIGN Element results[16];
  std::copy(x.begin() + static_cast<int64_t>(i), x.end(), last);
  body(last, results);
  std::copy_n(results, x.size() - i, out + i);
}

void QuantizeBytesImpl(absl::Span<const float> x, float scale, int32_t zero_point, int32_t low, int32_t high,
                       ByteSign sign, uint8_t* out) {
  const Rounding rounding(scale, low - zero_point, high - zero_point);
  const auto offset =
      hn::Sub(hn::Set(Wholes(), zero_point + sign.offset), hn::BitCast(Wholes(), hn::Set(Reals(), Rounding::kRound)));
  const auto flip = hn::Set(Quarters(), sign.flip);
  EachVector(x, out, [&](const float* from, uint8_t* to) {
    const auto whole = hn::Add(hn::BitCast(Wholes(), rounding(hn::LoadU(Reals(), from))), offset);
    hn::StoreU(hn::Xor(hn::DemoteTo(Quarters(), whole), flip), Quarters(), to);
  });
}

void RoundToBytesImpl(absl::Span<float> x, float scale, int32_t low, int32_t high) {
  const Rounding rounding(scale, low, high);
  const Real by = hn::Set(Reals(), scale);
  EachVector(x, x.data(), [&](const float* from, float* to) {
    hn::StoreU(hn::Mul(rounding.Number(rounding(hn::LoadU(Reals(), from))), by), Reals(), to);
  });
}

void DequantizeBytesImpl(const uint8_t* x, int64_t count, float scale, int32_t zero_point, ByteSign sign, float* out) {
  const Reals d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const Real by = hn::Set(d, scale);
  const auto offset = hn::Set(Wholes(), zero_point + sign.offset);
  const auto flip = hn::Set(Quarters(), sign.flip);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Mul(LoadReals(x + i, flip, offset), by), d, out + i);
  for (; i < count; ++i) out[i] = scale * static_cast<float>(WholeOf(x[i], sign) - zero_point);
}

void DequantizeRunsImpl(const uint8_t* x, int64_t run, absl::Span<const float> scales,
                        absl::Span<const int64_t> zero_points, ByteSign sign, float* out) {
  const Reals d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), all = run * static_cast<int64_t>(scales.size());
  const auto flip = hn::Set(Quarters(), sign.flip);
  int64_t first = 0;
  for (size_t r = 0; r < scales.size(); ++r, first += run) {
    const int32_t zero_point = zero_points.empty() ? 0 : static_cast<int32_t>(zero_points[r]);
    const Real by = hn::Set(d, scales[r]);
    const auto offset = hn::Set(Wholes(), zero_point + sign.offset);
    int64_t i = first;
    // Whole vectors, also beyond the run: the next one overwrites that.
    for (; i < first + run && i + lanes <= all; i += lanes) {
      hn::StoreU(hn::Mul(LoadReals(x + i, flip, offset), by), d, out + i);
    }
    for (; i < first + run; ++i) out[i] = scales[r] * static_cast<float>(WholeOf(x[i], sign) - zero_point);
  }
}

void MaximizePlaneImpl(const PlaneMaximum& p, uint8_t* out) {
  const hn::CappedTag<uint8_t, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto flip = hn::Set(d, p.sign.flip);
  const auto low = hn::Set(d, static_cast<uint8_t>(p.low + p.sign.offset));
  const auto high = hn::Set(d, static_cast<uint8_t>(p.high + p.sign.offset));
  for (int64_t row = 0; row < p.rows; ++row, out += p.columns) {
    for (int64_t column = 0; column < p.columns; column += lanes) {
      auto largest = low;
      for (const uint8_t* tap : p.taps) {
        largest = hn::Max(largest, hn::Xor(hn::LoadU(d, tap + row * p.step + column), flip));
      }
      const auto bytes = hn::Xor(hn::Min(largest, high), flip);
      if (column + lanes <= p.columns) {
        hn::StoreU(bytes, d, out + column);
        continue;
      }
      HWY_ALIGN uint8_t some[16];
      hn::Store(bytes, d, some);
      std::memcpy(out + column, some, static_cast<size_t>(p.columns - column));
    }
  }
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(AddBytesImpl);
HWY_EXPORT(QuantizeBytesImpl);
HWY_EXPORT(RoundToBytesImpl);
HWY_EXPORT(DequantizeBytesImpl);
HWY_EXPORT(DequantizeRunsImpl);
HWY_EXPORT(MaximizePlaneImpl);

void AddBytes(const ByteSum& sum, const uint8_t* a, const uint8_t* b, int64_t count, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(AddBytesImpl)(sum, a, b, count, out);
}

void QuantizeBytes(absl::Span<const float> x, float scale, int32_t zero_point, int32_t low, int32_t high, ByteSign sign,
                   uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(QuantizeBytesImpl)(x, scale, zero_point, low, high, sign, out);
}

void RoundToBytes(absl::Span<float> x, float scale, int32_t zero_point, int32_t low, int32_t high) {
  HWY_DYNAMIC_DISPATCH(RoundToBytesImpl)(x, scale, low - zero_point, high - zero_point);
}

void DequantizeBytes(const uint8_t* x, int64_t count, float scale, int32_t zero_point, ByteSign sign, float* out) {
  HWY_DYNAMIC_DISPATCH(DequantizeBytesImpl)(x, count, scale, zero_point, sign, out);
}

void DequantizeRuns(const uint8_t* x, int64_t run, absl::Span<const float> scales,
                    absl::Span<const int64_t> zero_points, ByteSign sign, float* out) {
  HWY_DYNAMIC_DISPATCH(DequantizeRunsImpl)(x, run, scales, zero_points, sign, out);
}

void MaximizePlane(const PlaneMaximum& plane, uint8_t* out) { HWY_DYNAMIC_DISPATCH(MaximizePlaneImpl)(plane, out); }

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
