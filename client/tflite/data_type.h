// Element types by the numbers of the LiteRT schema.
#ifndef QUANTGATE_CLIENT_TFLITE_DATA_TYPE_H_
#define QUANTGATE_CLIENT_TFLITE_DATA_TYPE_H_

#include <cstdint>

#include "quantgate/v1/types.pb.h"

namespace quantgate::tflite {

// Unspecified for RESOURCE and VARIANT, which have no elements, and for numbers that no schema version defines.
v1::DataType DataTypeFromTflite(int64_t number);
// The schema has the type, whether there is a DataType for it or not.
bool IsTfliteType(int64_t number);

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_DATA_TYPE_H_
