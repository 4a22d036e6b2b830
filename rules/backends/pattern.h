// Operands as those see them who match patterns: with the Dequantize in front of an input and the Quantize behind an
// output, whatever else of the node is quantized. Resolved operands have them only where the node is quantized all
// around. Of an annotation they are what convert_pt2e will have put there.
#ifndef QUANTGATE_RULES_BACKENDS_PATTERN_H_
#define QUANTGATE_RULES_BACKENDS_PATTERN_H_

#include "rules/engine/context.h"
#include "rules/graph/resolve.h"

namespace quantgate {

// What is in front of an input: the stored tensor, where a Dequantize produces it.
Operand AsRead(const CheckContext& context, const Operand& input);
// What is behind an output: the stored tensor, where a Quantize is its only reader.
Operand AsWritten(const CheckContext& context, const Operand& output);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_PATTERN_H_
