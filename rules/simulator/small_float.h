// Floats of 8 and 4 bits: what their patterns stand for, and rounding to them.
#ifndef QUANTGATE_RULES_SIMULATOR_SMALL_FLOAT_H_
#define QUANTGATE_RULES_SIMULATOR_SMALL_FLOAT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate::simulator {

// The value of each pattern, sign bit last: 256 or 16 of them. Empty: not a type that kernels have.
absl::Span<const float> SmallFloatValues(v1::DataType type);

// The nearest value of the type, ties to the even pattern; beyond the largest finite one, that ("saturate" in ONNX).
// `type` is one that SmallFloatValues has. NaN stays NaN.
float RoundToSmallFloat(v1::DataType type, float value);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_SMALL_FLOAT_H_
