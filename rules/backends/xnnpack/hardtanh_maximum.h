// A hardtanh whose maximum PyTorch leaves out.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_HARDTANH_MAXIMUM_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_HARDTANH_MAXIMUM_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kHardtanhMaximum;

void CheckHardtanhMaximum(const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_HARDTANH_MAXIMUM_H_
