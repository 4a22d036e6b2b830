// Facts about element types.
#ifndef QUANTGATE_RULES_GRAPH_DATA_TYPE_H_
#define QUANTGATE_RULES_GRAPH_DATA_TYPE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate {

// Bits of one stored element; 0 for types without a fixed size (strings, unspecified).
int BitWidth(v1::DataType type);
bool IsInteger(v1::DataType type);        // signed or unsigned, without bool
bool IsSigned(v1::DataType type);         // signed integers
bool IsFloat(v1::DataType type);          // float16 and wider, bfloat16
bool IsBeyondFloat32(v1::DataType type);  // float64 and complex: PyTorch's quantize operators take none of them
bool IsSmallFloat(v1::DataType type);     // float8, float6, float4: types that quantized data has
// Smallest and largest stored integer; both 0 for other types. uint64 saturates at the largest int64.
int64_t MinOf(v1::DataType type);
int64_t MaxOf(v1::DataType type);
// "int8", "float8_e4m3fn"; "unknown" when unspecified.
absl::string_view DataTypeName(v1::DataType type);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_DATA_TYPE_H_
