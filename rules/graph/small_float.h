// Floats of few bits: what their patterns stand for.
#ifndef QUANTGATE_RULES_GRAPH_SMALL_FLOAT_H_
#define QUANTGATE_RULES_GRAPH_SMALL_FLOAT_H_

#include "absl/types/span.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate {

// Values of a float type of 4, 8 or 16 bits by bit pattern: IEEE 754 binary16, bfloat16, OFP8 and its FNUZ variants,
// OCP MX E8M0 and E2M1. Empty for other types. Source: OCP "8-bit Floating Point" and "Microscaling Formats".
absl::Span<const double> SmallFloatValues(v1::DataType dtype);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_SMALL_FLOAT_H_
