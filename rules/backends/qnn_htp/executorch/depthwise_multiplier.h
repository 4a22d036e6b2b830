// Depthwise convolutions with more outputs than inputs, whose result the layout pass (channels_last.h) brings back.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_DEPTHWISE_MULTIPLIER_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_DEPTHWISE_MULTIPLIER_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kDepthwiseMultiplier;  // EN237

// Finds those that cannot be prepared, and marks them as the end of the export. Linear time for each.
void CheckDepthwiseMultiplier(const CheckContext& context, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_DEPTHWISE_MULTIPLIER_H_
