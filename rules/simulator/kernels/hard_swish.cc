#include "rules/simulator/kernels/hard_swish.h"

#include <algorithm>

#include "rules/simulator/arithmetic.h"

namespace quantgate::simulator {
namespace {

// Fraction bits that 8 bits get in 16.
constexpr int kFraction = 7;

int32_t Saturated(int64_t x) { return static_cast<int32_t>(std::clamp<int64_t>(x, INT16_MIN, INT16_MAX)); }

// a * b / 2^15, rounded (gemmlowp, 16 bits) or cut off.
int32_t HighProduct(int32_t a, int32_t b, bool rounded) {
  if (a == INT16_MIN && b == INT16_MIN) return INT16_MAX;
  const int32_t product = a * b;
  const int32_t nudge = !rounded ? 0 : product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return (product + nudge) / (1 << 15);
}

}  // namespace

absl::StatusOr<FixedHardSwish::Factor> FixedHardSwish::FactorOf(float real) {
  const absl::StatusOr<Multiplier> wide = MakeMultiplier(real);
  if (!wide.ok()) return wide.status();
  const int64_t mantissa = (int64_t{wide->mantissa} + (1 << 15)) >> 16;
  return Factor{static_cast<int16_t>(std::min<int64_t>(mantissa, INT16_MAX)), wide->shift};
}

absl::StatusOr<FixedHardSwish> FixedHardSwish::Make(float scale, int64_t zero_point, float out_scale,
                                                    int64_t out_zero_point) {
  const float fine = scale / (1 << kFraction);
  const absl::StatusOr<Factor> gate = FactorOf(fine / (3.0f / 32768.0f)), output = FactorOf(fine / out_scale);
  if (!gate.ok()) return gate.status();
  if (!output.ok()) return output.status();
  FixedHardSwish made;
  made.gate_ = *gate;
  made.output_ = *output;
  made.zero_point_ = zero_point;
  made.out_zero_point_ = out_zero_point;
  return made;
}

int64_t FixedHardSwish::operator()(int64_t x) const {
  const int32_t fine = Saturated(int64_t{Saturated(x - zero_point_)} * (1 << kFraction));
  const int32_t scaled = HighProduct(fine, output_.mantissa, true);
  // (x + 3) / 6 between 0 and 1, in 15 bits. The last bit is shifted in behind the product, which saturates both times.
  int32_t gate = fine;
  if (gate_.shift > 0) gate = Saturated(int64_t{gate} << std::min(gate_.shift - 1, 31));
  gate = HighProduct(gate, gate_.mantissa, true);
  if (gate_.shift > 0) gate = Saturated(int64_t{gate} * 2);
  if (gate_.shift < 0) gate = RoundingDivideByPowerOfTwo(gate, -gate_.shift);
  gate = (gate + (1 << 15)) >> 1;
  const int32_t product = HighProduct(gate, scaled, false);
  const int32_t result = output_.shift <= 0 ? RoundingDivideByPowerOfTwo(product, -output_.shift)
                                            : Saturated(int64_t{product} << std::min(output_.shift, 31));
  return Saturated(result + out_zero_point_);
}

}  // namespace quantgate::simulator
