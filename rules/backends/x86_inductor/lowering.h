// Which of TorchInductor's patterns a node is part of. What none takes is compiled as it stands, in float.
#ifndef QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_LOWERING_H_
#define QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_LOWERING_H_

#include "rules/backends/emission.h"
#include "rules/backends/lowering.h"
#include "rules/constraints/backend_op.h"
#include "rules/engine/context.h"

namespace quantgate::x86_inductor {

Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission);

// Whether the pattern takes the operator. It does not ask for all that the kernel behind it needs: what is then refused
// ends the compilation, or the first call, where anything else is left in float.
bool IsMatched(const BackendOp& op);

}  // namespace quantgate::x86_inductor

#endif  // QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_LOWERING_H_
