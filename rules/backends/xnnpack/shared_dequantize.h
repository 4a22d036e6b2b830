// A Dequantize that has channels last, with readers that want it so and others that do not.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_DEQUANTIZE_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_DEQUANTIZE_H_

#include "rules/backends/xnnpack/channels_last.h"
#include "rules/backends/xnnpack/delegates.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kSharedDequantize;

void CheckSharedDequantize(const CheckContext& context, const Delegates& delegates, const ChannelsLast& layouts,
                           const Target& target, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_SHARED_DEQUANTIZE_H_
