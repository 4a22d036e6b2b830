// Model-local functions.
#ifndef QUANTGATE_CLIENT_ONNX_FUNCTIONS_H_
#define QUANTGATE_CLIENT_ONNX_FUNCTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "onnx/onnx.pb.h"

namespace quantgate {

struct FunctionLimits {
  int64_t max_nodes = 0;  // that calls become, all together
  int64_t max_bytes = 0;  // of these nodes as they would be stored
  int max_depth = 32;     // of calls inside functions
};

// Puts bodies in the place of calls, those inside control flow and other functions included; a node of a body is called
// "CALL/NODE" then, and so are its tensors. Operator sets that only a function imports become the model's. FI001: a
// function that calls itself, directly or through others, is there twice, or is called with more arguments than it has.
// FI002: a limit. FI003: the model calls a function of a domain that it does not import.
absl::Status InlineFunctions(const FunctionLimits& limits, onnx::ModelProto* model);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_FUNCTIONS_H_
