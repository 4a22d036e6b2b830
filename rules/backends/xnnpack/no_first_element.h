// A quantized tensor that enters a delegate and has no first element.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_NO_FIRST_ELEMENT_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_NO_FIRST_ELEMENT_H_

#include "rules/backends/xnnpack/delegates.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kNoFirstElement;

void CheckNoFirstElement(const CheckContext& context, const Delegates& delegates, const Target& target,
                         FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_NO_FIRST_ELEMENT_H_
