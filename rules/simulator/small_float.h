// Rounding to floats of 8 and 4 bits.
#ifndef QUANTGATE_RULES_SIMULATOR_SMALL_FLOAT_H_
#define QUANTGATE_RULES_SIMULATOR_SMALL_FLOAT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate::simulator {

// SmallFloatValues (rules/graph/small_float.h) of the types that are rounded to, of 8 and 4 bits. Empty: another type.
absl::Span<const double> RoundedValues(v1::DataType type);

// The nearest value of the type, ties to the even pattern; beyond the largest finite one, that ("saturate" in ONNX).
// `type` is one that RoundedValues has. NaN stays NaN.
float RoundToSmallFloat(v1::DataType type, float value);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_SMALL_FLOAT_H_
