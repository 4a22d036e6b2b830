// Tensors that an encodings file says nothing of: a converter gives them an encoding of its own, by calibration.
#ifndef QUANTGATE_RULES_BACKENDS_UNDECIDED_H_
#define QUANTGATE_RULES_BACKENDS_UNDECIDED_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate {

// A tensor of real numbers without an encoding, in a graph that has an encodings file, which may also say of a tensor
// that it stays real.
bool IsUndecided(const Graph& graph, const Operand& operand);

// A bias that the file leaves real, of an operator on integers: converters quantize it by their one rule, as one that
// the file leaves out.
bool IsRealBias(const CheckContext& context, const ResolvedOp& op, const Operand& operand);

// An operator between tensors that stay real and others that get integers, by an encodings file: converters put
// conversions there, or take the integers of a weight back, and which of the two is not known.
bool IsMixed(const CheckContext& context, const ResolvedOp& op);

// An Add of a constant vector to what a matrix product writes: QNN's converters make the two one FullyConnected, and
// the vector its bias, whose 32 bits no Add takes.
bool BecomesBias(const CheckContext& context, const ResolvedOp& op);

// Notes what of the operator is not checked for that. False: what is missing is more than a bias, which converters
// quantize by one rule; the operator cannot be judged in full.
bool NoteUndecided(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_UNDECIDED_H_
