// Numbers and names of torch's serialization schema (torch/_export/serde/schema.py, version 8).
#ifndef QUANTGATE_CLIENT_PT2_SCHEMA_H_
#define QUANTGATE_CLIENT_PT2_SCHEMA_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate::pt2 {

// Breaking changes count the first number up; later second numbers only add what may be ignored.
inline constexpr int64_t kSchemaMajor = 8;

// ScalarType. Unspecified for numbers that this version does not know, and for half-precision complex numbers.
v1::DataType DataTypeOf(int64_t scalar_type);

// MemoryFormat and Layout as torch prints them ("torch.contiguous_format", "torch.strided"); "unknown 99" for others.
std::string MemoryFormatName(int64_t number);
std::string LayoutName(int64_t number);
inline constexpr int64_t kStridedLayout = 7;

// A target as Node.op has it: "torch.ops.aten.conv2d.default" is "aten.conv2d.default", "_operator.mul" is
// "operator.mul".
std::string OperatorName(absl::string_view target);

// A size that is known at run time only: "Symbol('s77', positive=True, integer=True)" is "s77". Other expressions stay
// as they are.
std::string SymbolName(absl::string_view expression);

}  // namespace quantgate::pt2

#endif  // QUANTGATE_CLIENT_PT2_SCHEMA_H_
