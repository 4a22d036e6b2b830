// What LiteRT's kernels that cut, join, repeat and choose elements ask for: counts, sizes and positions that fit the
// data. The others are in contradictions.cc.
#ifndef QUANTGATE_RULES_TFLITE_MOVING_CHECKS_H_
#define QUANTGATE_RULES_TFLITE_MOVING_CHECKS_H_

#include "absl/strings/string_view.h"
#include "rules/tflite/contradictions.h"

namespace quantgate {

// Null: none of these operators.
ShapeCheck MovingCheckOf(absl::string_view op_type);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_MOVING_CHECKS_H_
