// A bias that several layers read: the program has one constant for it, with the scale of the first.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_BIAS_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_BIAS_H_

#include "rules/constraints/backend_op.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kSharedBias;

// Looks at one emitted operator.
void CheckSharedBias(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_BIAS_H_
