// A filter of one dimension that several nodes read: ExecuTorch gives the stored one a dimension more, for each.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_FILTER_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_FILTER_H_

#include "rules/backends/xnnpack/delegates.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kSharedFilter;

void CheckSharedFilter(const CheckContext& context, const Delegates& delegates, const Target& target, FindingSink& sink,
                       ModuleResult& result);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_FILTER_H_
