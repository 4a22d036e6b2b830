#include "rules/simulator/small_float.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace quantgate::simulator {
namespace {

enum class Special {
  kNone,               // all patterns are numbers
  kIeee,               // the top exponent is infinity and NaN
  kTopPatternIsNan,    // OCP E4M3: no infinity
  kNegativeZeroIsNan,  // FNUZ: one NaN, no infinity, no negative zero
};

std::vector<float> Patterns(int exponent_bits, int mantissa_bits, int bias, Special special) {
  const int magnitudes = 1 << (exponent_bits + mantissa_bits), top = (1 << exponent_bits) - 1;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values(static_cast<size_t>(2 * magnitudes));
  for (int pattern = 0; pattern < magnitudes; ++pattern) {
    const int exponent = pattern >> mantissa_bits, mantissa = pattern & ((1 << mantissa_bits) - 1);
    const int implied = exponent == 0 ? 0 : 1 << mantissa_bits;
    float value = std::ldexp(static_cast<float>(mantissa + implied), std::max(exponent, 1) - bias - mantissa_bits);
    if (special == Special::kIeee && exponent == top) {
      value = mantissa == 0 ? std::numeric_limits<float>::infinity() : kNan;
    }
    if (special == Special::kTopPatternIsNan && pattern == magnitudes - 1) value = kNan;
    values[pattern] = value;
    values[magnitudes + pattern] = -value;
  }
  if (special == Special::kNegativeZeroIsNan) values[magnitudes] = kNan;
  return values;
}

}  // namespace

absl::Span<const float> SmallFloatValues(v1::DataType type) {
  switch (type) {
    case v1::DATA_TYPE_FLOAT8_E4M3FN: {
      static const auto& values = *new std::vector<float>(Patterns(4, 3, 7, Special::kTopPatternIsNan));
      return values;
    }
    case v1::DATA_TYPE_FLOAT8_E4M3FNUZ: {
      static const auto& values = *new std::vector<float>(Patterns(4, 3, 8, Special::kNegativeZeroIsNan));
      return values;
    }
    case v1::DATA_TYPE_FLOAT8_E5M2: {
      static const auto& values = *new std::vector<float>(Patterns(5, 2, 15, Special::kIeee));
      return values;
    }
    case v1::DATA_TYPE_FLOAT8_E5M2FNUZ: {
      static const auto& values = *new std::vector<float>(Patterns(5, 2, 16, Special::kNegativeZeroIsNan));
      return values;
    }
    case v1::DATA_TYPE_FLOAT4_E2M1: {
      static const auto& values = *new std::vector<float>(Patterns(2, 1, 1, Special::kNone));
      return values;
    }
    default:
      return {};
  }
}

float RoundToSmallFloat(v1::DataType type, float value) {
  if (std::isnan(value)) return value;
  const absl::Span<const float> values = SmallFloatValues(type);
  // Those that are not negative ascend; what is not finite is at the end.
  size_t finite = values.size() / 2;
  while (finite > 1 && !std::isfinite(values[finite - 1])) --finite;
  const float magnitude = std::fabs(value);
  const float* const begin = values.data();
  const float* const above = std::lower_bound(begin, begin + finite, magnitude);
  const float* nearest = above;
  if (above == begin + finite) {
    nearest = above - 1;
  } else if (above != begin) {
    // Exact: neighbors are a power of two apart, and few bits long.
    const double up = static_cast<double>(*above) - magnitude, down = magnitude - static_cast<double>(above[-1]);
    const bool lower = down < up || (down == up && (above - 1 - begin) % 2 == 0);
    if (lower) nearest = above - 1;
  }
  return std::signbit(value) ? -*nearest : *nearest;
}

}  // namespace quantgate::simulator
