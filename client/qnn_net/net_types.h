// Numbers of QnnTypes.h that a net.json states.
#ifndef QUANTGATE_CLIENT_QNN_NET_NET_TYPES_H_
#define QUANTGATE_CLIENT_QNN_NET_NET_TYPES_H_

#include <cstdint>

#include "quantgate/v1/types.pb.h"

namespace quantgate::qnn_net {

enum TensorType : int64_t { kAppWrite = 0, kAppRead = 1, kAppReadWrite = 2, kNative = 3, kStatic = 4, kNull = 5 };

enum EncodingKind : int64_t {
  kScaleOffset = 0,
  kAxisScaleOffset = 1,
  kBwScaleOffset = 2,
  kBwAxisScaleOffset = 3,
  kBlock = 4,
  kBlockwiseExpansion = 5,
};

constexpr int64_t kDefined = 1;  // Qnn_Definition_t

struct DataType {
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  bool quantized = false;
};

// Whether a number can be a Qnn_DataType_t: 0x7FFFFFFF is the one that QNN calls undefined.
constexpr bool IsDataType(int64_t number) { return number >= 0 && number < 0x7FFFFFFF; }

// Qnn_DataType_t. UNSPECIFIED: a number of a later version.
DataType DataTypeOf(int64_t number);

}  // namespace quantgate::qnn_net

#endif  // QUANTGATE_CLIENT_QNN_NET_NET_TYPES_H_
