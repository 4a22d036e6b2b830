// What contradicts itself between an operator of a LiteRT model and its tensors: what LiteRT's kernels ask for when
// they are prepared (tflite/kernels/*.cc, `Prepare`), as far as shapes and constants are known.
#ifndef QUANTGATE_RULES_TFLITE_CONTRADICTIONS_H_
#define QUANTGATE_RULES_TFLITE_CONTRADICTIONS_H_

#include "absl/strings/string_view.h"
#include "rules/graph/node_shapes.h"

namespace quantgate {

// Notes what contradicts itself at the node.
using ShapeCheck = void (*)(NodeShapes&);

// Null: nothing is asked of this operator.
ShapeCheck ShapeCheckOf(absl::string_view op_type);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_CONTRADICTIONS_H_
