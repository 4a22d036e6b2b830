// What an ONNX graph leaves out of its tensors and follows from the others, written into it.
#ifndef QUANTGATE_RULES_ONNX_COMPLETE_H_
#define QUANTGATE_RULES_ONNX_COMPLETE_H_

#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// `model`: the main graph, when `graph` is the body of a control-flow node; bodies inside `graph` are left as they are.
// What is stated is never changed; a graph that is malformed is left as it is.
void CompleteShapes(const v1::Graph& model, v1::Graph* graph);

// The same for element types, by the operators' definitions.
void CompleteElementTypes(const v1::Graph& model, v1::Graph* graph);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_COMPLETE_H_
