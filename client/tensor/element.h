// Element types: their widths in a file, and what they are reported as.
#ifndef QUANTGATE_CLIENT_TENSOR_ELEMENT_H_
#define QUANTGATE_CLIENT_TENSOR_ELEMENT_H_

#include <cstdint>

#include "quantgate/v1/types.pb.h"

namespace quantgate {

// Bits of one element as it is stored packed. 0: no fixed width (string) or not stated.
int ElementBits(v1::DataType dtype);

// true: the type's values are integers (or BOOL) and are reported in Constant.ints.
bool IsIntegerType(v1::DataType dtype);

// true: a real-valued type, reported in Constant.reals. Complex types, strings and 6-bit floats
// (which no format we read stores) are neither.
bool IsRealType(v1::DataType dtype);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_TENSOR_ELEMENT_H_
