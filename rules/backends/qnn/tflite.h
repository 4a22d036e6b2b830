// From LiteRT's operators to QNN's. Both have channels last, so activations keep their layout; filters do not: LiteRT's
// are (out, height, width, in), QNN's (height, width, in, out). An activation that is fused into an operator with a
// quantized output is in the output's range already; in float it is an operator of its own.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_TFLITE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_TFLITE_H_

#include <optional>

#include "rules/backends/emission.h"
#include "rules/backends/lowering.h"
#include "rules/backends/node_view.h"

namespace quantgate::qnn {

// nullopt: what the operator becomes does not depend on the file it comes from; the table of all origins says it.
std::optional<Lowering> LowerTflite(const NodeView& view, Emission& emission);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_TFLITE_H_
