// Types and shapes that a file leaves out and that follow from quantized operators with certainty.
#ifndef QUANTGATE_CLIENT_ONNX_COMPLETE_TYPES_H_
#define QUANTGATE_CLIENT_ONNX_COMPLETE_TYPES_H_

#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// Fills Value.dtype and the shape where the file says nothing: from the type of zero points and `output_dtype`, from
// what Quantize, Dequantize and operators that move data keep, and from the definitions of operators. What the file
// says is never changed. Shapes are those that rules/onnx infers. Subgraphs included; values captured from an enclosing
// graph take over what is known there.
void CompleteTypes(v1::Graph* graph);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_COMPLETE_TYPES_H_
