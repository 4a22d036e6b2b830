#include "client/tensor/element.h"

namespace quantgate {
int ElementBits(v1::DataType dtype) {
  switch (dtype) {
    case v1::DATA_TYPE_INT2:
    case v1::DATA_TYPE_UINT2:
      return 2;
    case v1::DATA_TYPE_INT4:
    case v1::DATA_TYPE_UINT4:
    case v1::DATA_TYPE_FLOAT4_E2M1:
      return 4;
    case v1::DATA_TYPE_FLOAT6_E2M3:
    case v1::DATA_TYPE_FLOAT6_E3M2:
      return 6;
    case v1::DATA_TYPE_BOOL:
    case v1::DATA_TYPE_INT8:
    case v1::DATA_TYPE_UINT8:
    case v1::DATA_TYPE_FLOAT8_E4M3FN:
    case v1::DATA_TYPE_FLOAT8_E4M3FNUZ:
    case v1::DATA_TYPE_FLOAT8_E5M2:
    case v1::DATA_TYPE_FLOAT8_E5M2FNUZ:
    case v1::DATA_TYPE_FLOAT8_E8M0:
      return 8;
    case v1::DATA_TYPE_INT16:
    case v1::DATA_TYPE_UINT16:
    case v1::DATA_TYPE_FLOAT16:
    case v1::DATA_TYPE_BFLOAT16:
      return 16;
    case v1::DATA_TYPE_INT32:
    case v1::DATA_TYPE_UINT32:
    case v1::DATA_TYPE_FLOAT32:
      return 32;
    case v1::DATA_TYPE_INT64:
    case v1::DATA_TYPE_UINT64:
    case v1::DATA_TYPE_FLOAT64:
    case v1::DATA_TYPE_COMPLEX64:
      return 64;
    case v1::DATA_TYPE_COMPLEX128:
      return 128;
    default:
      return 0;
  }
}

bool IsIntegerType(v1::DataType dtype) { return dtype >= v1::DATA_TYPE_BOOL && dtype <= v1::DATA_TYPE_UINT64; }

bool IsRealType(v1::DataType dtype) { return dtype >= v1::DATA_TYPE_FLOAT16 && dtype <= v1::DATA_TYPE_FLOAT4_E2M1; }

}  // namespace quantgate
