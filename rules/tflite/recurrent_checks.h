// What LiteRT's kernels of layers that keep a state ask of the shapes of weights, biases and states, and which of them
// go together.
#ifndef QUANTGATE_RULES_TFLITE_RECURRENT_CHECKS_H_
#define QUANTGATE_RULES_TFLITE_RECURRENT_CHECKS_H_

#include "absl/strings/string_view.h"
#include "rules/tflite/contradictions.h"

namespace quantgate {

// Null: none of these operators.
ShapeCheck RecurrentCheckOf(absl::string_view op_type);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_RECURRENT_CHECKS_H_
