// ONNX's numbering of element types (TensorProto.DataType).
#ifndef QUANTGATE_CLIENT_ONNX_DATA_TYPE_H_
#define QUANTGATE_CLIENT_ONNX_DATA_TYPE_H_

#include <cstdint>

#include "quantgate/v1/types.pb.h"

namespace quantgate {

// Numbers 17 to 26 are newer than the schema we compile (ONNX 1.12) and are ours, after onnx.proto of ONNX 1.20.
// Unspecified for 0 and for numbers that no version has.
v1::DataType DataTypeFromOnnx(int64_t number);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_DATA_TYPE_H_
