// Rounding and requantization, as runtimes define them. Every function is defined for every argument: what a 32-bit
// implementation would wrap, wraps here.
#ifndef QUANTGATE_RULES_SIMULATOR_ARITHMETIC_H_
#define QUANTGATE_RULES_SIMULATOR_ARITHMETIC_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/statusor.h"
#include "rules/simulator/profile.h"

namespace quantgate::simulator {

// Signed bits that hold x: 1 for 0 and -1, 8 for -128 and 127.
inline int SignedBits(int64_t x) {
  const uint64_t magnitude = static_cast<uint64_t>(x < 0 ? ~x : x);
  return magnitude == 0 ? 1 : 65 - __builtin_clzll(magnitude);
}

// The low `bits` bits, as a signed number: what a wrapping accumulator of that width holds.
inline int64_t WrapTo(int64_t x, int bits) {
  if (bits >= 64) return x;
  const int drop = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(x) << drop) >> drop;
}

inline int32_t Wrap32(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x))); }

// A real multiplier as mantissa * 2^(shift - 31), mantissa in [2^30, 2^31); 0 is {0, 0}.
struct Multiplier {
  int32_t mantissa = 0;
  int shift = 0;
};

// INVALID_ARGUMENT: negative, infinite, not a number, or 2^31 and more.
absl::StatusOr<Multiplier> MakeMultiplier(double real);

// round(a * b / 2^31), ties up; -2^31 * -2^31 saturates (gemmlowp's SaturatingRoundingDoublingHighMul).
inline int32_t RoundingDoublingHighMul(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + (int64_t{1} << 30)) >> 31);
}

// x / 2^exponent, ties away from zero.
inline int32_t RoundingDivideByPowerOfTwo(int32_t x, int exponent) {
  if (exponent <= 0) return x;
  if (exponent > 31) return 0;
  const int64_t half = int64_t{1} << (exponent - 1);
  return static_cast<int32_t>(x >= 0 ? (x + half) >> exponent : -((half - x) >> exponent));
}

// The left shift wraps in 32 bits, as in gemmlowp.
inline int32_t ShiftLeftWrapping(int32_t x, int shift) {
  return shift > 31 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(x) << std::max(shift, 0));
}

// Two roundings: gemmlowp.
inline int32_t MultiplyDoubleRounding(int32_t x, Multiplier m) {
  return RoundingDivideByPowerOfTwo(RoundingDoublingHighMul(ShiftLeftWrapping(x, m.shift), m.mantissa), -m.shift);
}

// The same with ties of the second rounding up: ruy.
inline int32_t MultiplyDoubleRoundingUp(int32_t x, Multiplier m) {
  const int64_t high = RoundingDoublingHighMul(ShiftLeftWrapping(x, m.shift), m.mantissa);
  const int exponent = std::max(-m.shift, 0);
  return exponent > 31 ? 0 : static_cast<int32_t>((high + ((int64_t{1} << exponent) >> 1)) >> exponent);
}

// One rounding, ties up. Saturates at 64 bits.
inline int64_t MultiplySingleRounding(int64_t x, Multiplier m) {
  const int total = 31 - m.shift;
  __int128 product = static_cast<__int128>(x) * m.mantissa;
  if (total <= 0) {
    product = -total > 32 ? product : product << -total;
  } else if (total > 100) {
    product = 0;
  } else {
    product = (product + (static_cast<__int128>(1) << (total - 1))) >> total;
  }
  return static_cast<int64_t>(std::clamp<__int128>(product, INT64_MIN, INT64_MAX));
}

// LiteRT's 64-bit accumulators: the mantissa is cut to 15 bits.
inline int64_t MultiplyBy15Bits(int64_t x, Multiplier m) {
  const int32_t reduced = m.mantissa < 0x7FFF0000 ? ((m.mantissa + (1 << 15)) >> 16) : 0x7FFF;
  return MultiplySingleRounding(x, {reduced, m.shift + 16});
}

// x / n, half away from zero; n > 0.
inline int64_t DivideAway(int64_t x, int64_t n) { return x >= 0 ? (x + n / 2) / n : (x - n / 2) / n; }

// To the nearest integer, ties to even, then to [low, high]. Not a number becomes low.
inline int64_t RoundEvenClamped(double x, int64_t low, int64_t high) {
  if (!(x > static_cast<double>(low))) return low;
  if (!(x < static_cast<double>(high))) return high;
  return static_cast<int64_t>(std::nearbyint(x));
}

// Requantization of an accumulator by one multiplier.
class Rescaler {
 public:
  // `real`: the multiplier as the runtime forms it, in float32 or in double. INVALID_ARGUMENT names a number that no
  // multiplier can be.
  static absl::StatusOr<Rescaler> Make(Rescale form, double real);
  // The same in place.
  absl::Status Set(Rescale form, double real);
  // Adds `zero_point` and clamps to [low, high].
  int64_t operator()(int64_t accumulator, int64_t zero_point, int64_t low, int64_t high) const;

 private:
  Rescale form_ = Rescale::kNone;
  float scale_ = 0;
  Multiplier multiplier_;
};

// The multiplier of an accumulator of scale a * b for an output of scale y, as the form forms it.
double RealMultiplier(Rescale form, float a, float b, float y);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_ARITHMETIC_H_
