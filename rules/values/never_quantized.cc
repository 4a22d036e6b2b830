#include "rules/values/never_quantized.h"

#include "rules/graph/data_type.h"

namespace quantgate {

bool IsNeverQuantized(v1::DataType type) {
  return IsInteger(type) || type == v1::DATA_TYPE_BOOL || IsBeyondFloat32(type);
}

}  // namespace quantgate
