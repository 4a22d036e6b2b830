// The little that the importer asks of the operator tables.
#ifndef QUANTGATE_CLIENT_ONNX_ROLES_H_
#define QUANTGATE_CLIENT_ONNX_ROLES_H_

#include "absl/strings/string_view.h"

namespace quantgate {

// `op_type` is as in Node.op: "QLinearConv", "com.microsoft::QGemm".

// Quantizes, dequantizes or computes on integers: a graph that has one is CONVERTED.
bool IsQuantizedOperator(absl::string_view op_type);

// Argument `input` is a scale or a zero point.
bool IsQuantizationParameter(absl::string_view op_type, int input);

// Position of the zero point of the output, whose type is the output's. -1: the operator has none.
int OutputZeroPoint(absl::string_view op_type);

// Argument whose type the first output has, or every output has: data is moved or selected, not computed.
struct TypeSource {
  int input = -1;  // -1: none
  bool every_output = false;
};
TypeSource SourceOfType(absl::string_view op_type);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_ROLES_H_
