// The shapes that operators of a LiteRT model make, as their kernels compute them when the model is allocated
// (tflite/kernels/*.cc, `Prepare`).
#ifndef QUANTGATE_RULES_TFLITE_OUTPUT_SHAPES_H_
#define QUANTGATE_RULES_TFLITE_OUTPUT_SHAPES_H_

#include "absl/strings/string_view.h"
#include "rules/graph/node_shapes.h"

namespace quantgate {

// Gives the shapes of the node's outputs as far as the shapes of its inputs and its constants decide them, and notes
// what contradicts itself on the way.
using OutputShapes = void (*)(NodeShapes&);

// Null: not known of this operator.
OutputShapes OutputShapesOf(absl::string_view op_type);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_OUTPUT_SHAPES_H_
