// The encodings that ExecuTorch has operators read, where they are not those of the annotation.
//
// It records on the node that writes a tensor who reads it with another encoding, and has a Convert put in front of
// that reader (backends/qualcomm/_passes/annotate_quant_attrs.py). None is recorded for what no annotated node writes,
// which has one encoding, nor for a sigmoid; and of the parts that a reader is taken apart into the first one alone
// gets it.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_INPUT_ENCODING_H_
#define QUANTGATE_RULES_BACKENDS_QNN_INPUT_ENCODING_H_

#include <vector>

#include "rules/engine/context.h"

namespace quantgate::qnn {

// The operand whose encoding `operand` is read with: that of the first reader (in a converted graph, of the last
// Quantize) of a graph input or of what its node leaves open, or of the sigmoid that writes it, where `operand` states
// another type or range. Null: it is read as it is stated.
const Operand* ReadingOf(const CheckContext& context, const Operand& operand);

// The operand that writes what `operand` reads with another type or range; null: none does.
const Operand* OtherWriting(const CheckContext& context, const Operand& operand);

// Whether an input of the node has either: what holds for the node then does not hold for others that are like it.
bool ReadsOtherEncoding(const CheckContext& context, const ResolvedOp& op);

// Whether any node of the graph may have one. False: all that nodes compute has one type and range, where it has any.
bool AnyReadsOtherEncoding(const CheckContext& context);

// The node's inputs as they are read; empty: all as they are stated.
std::vector<Operand> InputsAsRead(const CheckContext& context, const ResolvedOp& op);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_INPUT_ENCODING_H_
