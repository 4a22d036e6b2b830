// The encoding that a graph input has for ExecuTorch.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_INPUT_ENCODING_H_
#define QUANTGATE_RULES_BACKENDS_QNN_INPUT_ENCODING_H_

#include <vector>

#include "rules/engine/context.h"

namespace quantgate::qnn {

// The operand of the first reader of a graph input, where `operand` reads the same with another type or range: the
// input has the encoding of the first, and no Convert is put in front of the others. Null: it is read as it is stated.
const Operand* FirstReading(const CheckContext& context, const Operand& operand);

// Whether an input of the node has one: what holds for the node then does not hold for others that are like it.
bool ReadsOtherEncoding(const CheckContext& context, const ResolvedOp& op);

// The node's inputs as they are read; empty: all as they are stated.
std::vector<Operand> InputsAsRead(const CheckContext& context, const ResolvedOp& op);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_INPUT_ENCODING_H_
