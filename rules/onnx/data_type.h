// ONNX's numbering of element types (TensorProto.DataType).
#ifndef QUANTGATE_RULES_ONNX_DATA_TYPE_H_
#define QUANTGATE_RULES_ONNX_DATA_TYPE_H_

#include <cstdint>

#include "quantgate/v1/types.pb.h"

namespace quantgate {

// As of ONNX 1.20; unspecified for 0 and for numbers that no version has.
v1::DataType DataTypeFromOnnx(int64_t number);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_DATA_TYPE_H_
