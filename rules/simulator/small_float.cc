#include "rules/simulator/small_float.h"

#include <algorithm>
#include <cmath>

#include "rules/graph/small_float.h"

namespace quantgate::simulator {
absl::Span<const double> RoundedValues(v1::DataType type) {
  switch (type) {
    case v1::DATA_TYPE_FLOAT8_E4M3FN:
    case v1::DATA_TYPE_FLOAT8_E4M3FNUZ:
    case v1::DATA_TYPE_FLOAT8_E5M2:
    case v1::DATA_TYPE_FLOAT8_E5M2FNUZ:
    case v1::DATA_TYPE_FLOAT4_E2M1:
      return SmallFloatValues(type);
    default:
      return {};
  }
}

float RoundToSmallFloat(v1::DataType type, float value) {
  if (std::isnan(value)) return value;
  const absl::Span<const double> values = RoundedValues(type);
  // Those that are not negative ascend; what is not finite is at the end.
  size_t finite = values.size() / 2;
  while (finite > 1 && !std::isfinite(values[finite - 1])) --finite;
  const double magnitude = std::fabs(value);
  const double* const begin = values.data();
  const double* const above = std::lower_bound(begin, begin + finite, magnitude);
  const double* nearest = above;
  if (above == begin + finite) {
    nearest = above - 1;
  } else if (above != begin) {
    // Exact: neighbors are a power of two apart, and few bits long.
    const double up = *above - magnitude, down = magnitude - above[-1];
    const bool lower = down < up || (down == up && (above - 1 - begin) % 2 == 0);
    if (lower) nearest = above - 1;
  }
  return static_cast<float>(std::signbit(value) ? -*nearest : *nearest);
}

}  // namespace quantgate::simulator
