// Tensors that torch's quantization has no place for.
#ifndef QUANTGATE_RULES_VALUES_NEVER_QUANTIZED_H_
#define QUANTGATE_RULES_VALUES_NEVER_QUANTIZED_H_

#include "quantgate/v1/types.pb.h"

namespace quantgate {

// Whether tensors of the type are never quantized: integers and booleans, and numbers beyond float32.
bool IsNeverQuantized(v1::DataType type);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_NEVER_QUANTIZED_H_
