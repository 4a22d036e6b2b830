#include "rules/onnx/data_type.h"

#include <array>

namespace quantgate {

v1::DataType DataTypeFromOnnx(int64_t number) {
  static constexpr auto kTypes = std::to_array<v1::DataType>({
      v1::DATA_TYPE_UNSPECIFIED,
      v1::DATA_TYPE_FLOAT32,
      v1::DATA_TYPE_UINT8,
      v1::DATA_TYPE_INT8,
      v1::DATA_TYPE_UINT16,
      v1::DATA_TYPE_INT16,
      v1::DATA_TYPE_INT32,
      v1::DATA_TYPE_INT64,
      v1::DATA_TYPE_STRING,
      v1::DATA_TYPE_BOOL,
      v1::DATA_TYPE_FLOAT16,
      v1::DATA_TYPE_FLOAT64,
      v1::DATA_TYPE_UINT32,
      v1::DATA_TYPE_UINT64,
      v1::DATA_TYPE_COMPLEX64,
      v1::DATA_TYPE_COMPLEX128,
      v1::DATA_TYPE_BFLOAT16,
      v1::DATA_TYPE_FLOAT8_E4M3FN,    // 17
      v1::DATA_TYPE_FLOAT8_E4M3FNUZ,  // 18
      v1::DATA_TYPE_FLOAT8_E5M2,      // 19
      v1::DATA_TYPE_FLOAT8_E5M2FNUZ,  // 20
      v1::DATA_TYPE_UINT4,            // 21
      v1::DATA_TYPE_INT4,             // 22
      v1::DATA_TYPE_FLOAT4_E2M1,      // 23
      v1::DATA_TYPE_FLOAT8_E8M0,      // 24
      v1::DATA_TYPE_UINT2,            // 25
      v1::DATA_TYPE_INT2,             // 26
  });
  return number >= 0 && number < static_cast<int64_t>(kTypes.size()) ? kTypes[static_cast<size_t>(number)]
                                                                     : v1::DATA_TYPE_UNSPECIFIED;
}

}  // namespace quantgate
