// Arguments of an operator that ExecuTorch 1.5.1 does not lower, or takes for others, on their way to HTP.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_ARGUMENTS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_ARGUMENTS_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kHardtanhMaximum;    // EN224
extern const RuleInfo kDepthwiseVolume;    // EN225
extern const RuleInfo kBlocksOfColumns;    // EN226
extern const RuleInfo kAverageOfVolume;    // EN227
extern const RuleInfo kExtremeWithPlaces;  // EN228
extern const RuleInfo kEmptyIndex;         // EN229
extern const RuleInfo kPadWithoutValue;    // EN233
extern const RuleInfo kSumOverNone;        // EN236

// Whether the builder raises over the node's arguments; said as EN224, EN225, EN229, EN233 or EN236.
bool FindRaisingArguments(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether a pass ends over them, before any node is asked about; said as EN226.
bool FindOddBlocks(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether it is built with two outputs, which is not prepared; said as EN228.
bool FindExtremeWithPlaces(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// What the builder does not read; said as EN227.
void FindIgnoredArguments(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_ARGUMENTS_H_
