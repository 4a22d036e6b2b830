// A bias that several nodes read: the delegate has one constant for it, as its first reader wants it.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_BIAS_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_BIAS_H_

#include "rules/backends/xnnpack/delegates.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kSharedBias;
extern const RuleInfo kSharedFloatBias;

void CheckSharedBias(const CheckContext& context, const Delegates& delegates, const Target& target, FindingSink& sink,
                     ModuleResult& result);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_BIAS_H_
