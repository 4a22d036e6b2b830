// Integers of 64 bits that ExecuTorch's pass for QNN (qualcomm/_passes/i64_to_i32.py) leaves as they are.
#ifndef QUANTGATE_RULES_BACKENDS_WIDE_INTEGERS_H_
#define QUANTGATE_RULES_BACKENDS_WIDE_INTEGERS_H_

#include "rules/engine/context.h"

namespace quantgate {

// Whether the operator reads or writes the operand's integers as ones of 64 bits. ExecuTorch makes int32 of inputs and
// constants, and of what a few operators compute (an arg max, an arange, a cast); not of the places that a top-k finds,
// of a sum of integers, nor of what is computed from these.
bool IsWide(const CheckContext& context, const ResolvedOp& op, const Operand& operand);

// The same of any of its operands.
bool TouchesWide(const CheckContext& context, const ResolvedOp& op);

// Whether any node of the graph may do so.
bool AnyTouchesWide(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_WIDE_INTEGERS_H_
