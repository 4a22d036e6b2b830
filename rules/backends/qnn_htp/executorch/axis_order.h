// Builders of ExecuTorch that do not go along with the layout of their node. The layout pass
// (channels_last.h) leaves an order of axes at each node, of as many axes as its result has; whatever the
// builder reads for the node is permuted by it, be it of another rank or not, and vectors are left alone. Axes and
// multiples a builder has to reorder by itself.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_AXIS_ORDER_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_AXIS_ORDER_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kLayoutOfOperands;  // EN205
extern const RuleInfo kTopKAxis;          // EN206
extern const RuleInfo kWrongLayout;       // EN207

// Finds nodes that are not delegated, or end the export, for this, and marks them; and those that compute something
// else. Linear time.
void CheckAxisOrder(const CheckContext& context, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_AXIS_ORDER_H_
