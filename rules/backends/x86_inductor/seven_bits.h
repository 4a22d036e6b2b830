// NR201: without VNNI, products of 8-bit activations and weights saturate on their way.
#ifndef QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_SEVEN_BITS_H_
#define QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_SEVEN_BITS_H_

#include "rules/constraints/backend_op.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::x86_inductor {

extern const RuleInfo kSevenBits;
void CheckSevenBits(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink);

}  // namespace quantgate::x86_inductor

#endif  // QUANTGATE_RULES_BACKENDS_X86_INDUCTOR_SEVEN_BITS_H_
