#include "client/tflite/data_type.h"

#include <array>

namespace quantgate::tflite {
namespace {

constexpr auto kTypes = std::to_array<v1::DataType>({
    v1::DATA_TYPE_FLOAT32,     v1::DATA_TYPE_FLOAT16, v1::DATA_TYPE_INT32,         v1::DATA_TYPE_UINT8,
    v1::DATA_TYPE_INT64,       v1::DATA_TYPE_STRING,  v1::DATA_TYPE_BOOL,          v1::DATA_TYPE_INT16,
    v1::DATA_TYPE_COMPLEX64,   v1::DATA_TYPE_INT8,    v1::DATA_TYPE_FLOAT64,       v1::DATA_TYPE_COMPLEX128,
    v1::DATA_TYPE_UINT64,
    v1::DATA_TYPE_UNSPECIFIED,  // 13, RESOURCE
    v1::DATA_TYPE_UNSPECIFIED,  // 14, VARIANT
    v1::DATA_TYPE_UINT32,      v1::DATA_TYPE_UINT16,  v1::DATA_TYPE_INT4,          v1::DATA_TYPE_BFLOAT16,
    v1::DATA_TYPE_INT2,        v1::DATA_TYPE_UINT4,   v1::DATA_TYPE_FLOAT8_E4M3FN, v1::DATA_TYPE_FLOAT8_E5M2,
});

}  // namespace

v1::DataType DataTypeFromTflite(int64_t number) {
  return number >= 0 && number < static_cast<int64_t>(kTypes.size()) ? kTypes[static_cast<size_t>(number)]
                                                                     : v1::DATA_TYPE_UNSPECIFIED;
}

bool IsTfliteType(int64_t number) { return number >= 0 && number < static_cast<int64_t>(kTypes.size()); }

}  // namespace quantgate::tflite
