// What the operators around shapes compute (Shape, Gather, Concat, Mul, …), as far as it is known before a model runs.
#ifndef QUANTGATE_RULES_ONNX_NUMBERS_H_
#define QUANTGATE_RULES_ONNX_NUMBERS_H_

#include "rules/graph/inferred.h"
#include "rules/graph/node_shapes.h"

namespace quantgate {

// Adds what the node's outputs hold to `inferred.numbers`. Behind its shape function: shapes of inputs and outputs are
// in `inferred` as far as they are known.
void ComputeNumbers(const NodeShapes& node, Inferred& inferred);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_NUMBERS_H_
