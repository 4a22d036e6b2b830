// A softmax over the last dimension of a tensor that the delegate keeps with the channels last.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_SOFTMAX_LAYOUT_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_SOFTMAX_LAYOUT_H_

#include "rules/backends/xnnpack/channels_last.h"
#include "rules/backends/xnnpack/delegates.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

extern const RuleInfo kSoftmaxLayout;

void CheckSoftmaxLayout(const CheckContext& context, const Delegates& delegates, const ChannelsLast& layouts,
                        const Target& target, FindingSink& sink, const ModuleResult& result);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_SOFTMAX_LAYOUT_H_
