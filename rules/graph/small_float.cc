#include "rules/graph/small_float.h"

#include <cmath>
#include <limits>
#include <vector>

namespace quantgate {
namespace {

enum class Special { kIeee, kTopPatternIsNan, kNegativeZeroIsNan, kNone };

// sign : exponent : mantissa, most significant first, with gradual underflow.
double DecodeMinifloat(uint32_t bits, int exponent_bits, int mantissa_bits, int bias, Special special) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const uint32_t exponent_mask = (1u << exponent_bits) - 1;
  const uint32_t mantissa_mask = (1u << mantissa_bits) - 1;
  const bool negative = (bits >> (exponent_bits + mantissa_bits)) & 1;
  const uint32_t exponent = (bits >> mantissa_bits) & exponent_mask;
  const uint32_t mantissa = bits & mantissa_mask;
  if (special == Special::kNegativeZeroIsNan && negative && exponent == 0 && mantissa == 0) return kNan;
  if (exponent == exponent_mask) {
    if (special == Special::kIeee) {
      if (mantissa != 0) return kNan;
      return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    }
    if (special == Special::kTopPatternIsNan && mantissa == mantissa_mask) return kNan;
  }
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                    : std::ldexp(mantissa + (1u << mantissa_bits), static_cast<int>(exponent) - bias - mantissa_bits);
  return negative ? -magnitude : magnitude;
}

std::vector<double> PatternTable(int exponent_bits, int mantissa_bits, int bias, Special special) {
  std::vector<double> values(size_t{2} << (exponent_bits + mantissa_bits));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = DecodeMinifloat(static_cast<uint32_t>(i), exponent_bits, mantissa_bits, bias, special);
  }
  return values;
}

// E8M0: 2^(pattern - 127), the last pattern is NaN.
std::vector<double> PowersOfTwo() {
  std::vector<double> values(256, std::numeric_limits<double>::quiet_NaN());
  for (int i = 0; i < 255; ++i) values[i] = std::ldexp(1.0, i - 127);
  return values;
}

}  // namespace

absl::Span<const double> SmallFloatValues(v1::DataType dtype) {
  // Built on first use and kept: a file may hold very many small tensors.
  switch (dtype) {
    case v1::DATA_TYPE_FLOAT16: {
      static const auto& values = *new std::vector<double>(PatternTable(5, 10, 15, Special::kIeee));
      return values;
    }
    case v1::DATA_TYPE_BFLOAT16: {
      static const auto& values = *new std::vector<double>(PatternTable(8, 7, 127, Special::kIeee));
      return values;
    }
    case v1::DATA_TYPE_FLOAT8_E4M3FN: {
      static const auto& values = *new std::vector<double>(PatternTable(4, 3, 7, Special::kTopPatternIsNan));
      return values;
    }
    case v1::DATA_TYPE_FLOAT8_E4M3FNUZ: {
      static const auto& values = *new std::vector<double>(PatternTable(4, 3, 8, Special::kNegativeZeroIsNan));
      return values;
    }
    case v1::DATA_TYPE_FLOAT8_E5M2: {
      static const auto& values = *new std::vector<double>(PatternTable(5, 2, 15, Special::kIeee));
      return values;
    }
    case v1::DATA_TYPE_FLOAT8_E5M2FNUZ: {
      static const auto& values = *new std::vector<double>(PatternTable(5, 2, 16, Special::kNegativeZeroIsNan));
      return values;
    }
    case v1::DATA_TYPE_FLOAT8_E8M0: {
      static const auto& values = *new std::vector<double>(PowersOfTwo());
      return values;
    }
    case v1::DATA_TYPE_FLOAT4_E2M1: {
      static const auto& values = *new std::vector<double>(PatternTable(2, 1, 1, Special::kNone));
      return values;
    }
    default:
      return {};
  }
}

}  // namespace quantgate
