// LiteRT's operators as they are, for backends that take its files: names, arguments and layout of the file, element
// types not widened or narrowed.
#ifndef QUANTGATE_RULES_BACKENDS_TFLITE_LOWERING_H_
#define QUANTGATE_RULES_BACKENDS_TFLITE_LOWERING_H_

#include "absl/strings/string_view.h"
#include "rules/backends/emission.h"
#include "rules/backends/lowering.h"
#include "rules/engine/context.h"

namespace quantgate {

// Emits one operator with the node's own name ("CONV_2D"). Ports are the node's arguments by position. Parameters are
// its options that are numbers or words of a closed list (those as the schema numbers them), `absent_bias`: 1 where
// a third input is written and left out, which is not the same as two inputs to some kernels, and `bias_bits`: the
// width that quantized_bias_type names, 0 where it names none.
Lowering LowerTflite(const CheckContext& context, const ResolvedOp& op, Emission& emission);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_TFLITE_LOWERING_H_
