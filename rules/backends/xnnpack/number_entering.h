// A quantized tensor that enters a delegate and has no dimensions.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_NUMBER_ENTERING_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_NUMBER_ENTERING_H_

#include "rules/backends/xnnpack/delegates.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kNumberEntering;

void CheckNumberEntering(const CheckContext& context, const Delegates& delegates, const Target& target,
                         FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_NUMBER_ENTERING_H_
