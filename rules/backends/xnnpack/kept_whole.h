// Operators that the partitioner keeps whole and nobody takes in the bodies of control flow.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_KEPT_WHOLE_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_KEPT_WHOLE_H_

#include "rules/constraints/backend_op.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kKeptWhole;

// Looks at one emitted operator; true: the export ends there.
bool CheckKeptWhole(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_KEPT_WHOLE_H_
