// Element types of all tensors of an ONNX graph: what the file states, and what follows from the operators'
// definitions.
#ifndef QUANTGATE_RULES_ONNX_ELEMENT_TYPES_H_
#define QUANTGATE_RULES_ONNX_ELEMENT_TYPES_H_

#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/engine/context.h"

namespace quantgate {

// By value. Files leave most of them out, and a runtime infers them when it loads the model. Unspecified: not known, or
// not a tensor.
std::vector<v1::DataType> ElementTypes(const CheckContext& context);

// Type that an attribute states for the first output (ConstantOfShape's value, Cast's to); unspecified: none does.
v1::DataType StatedType(const Graph& graph, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_ELEMENT_TYPES_H_
