// What an observer will make of an infinity that the model computes from its constants.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_OBSERVED_INFINITY_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_OBSERVED_INFINITY_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kObservedInfinity;  // NR203

// Whether the operator is the first on the way to have an infinity among its results, of which calibration will make an
// infinite scale (NR202); said as NR203. `looked_at_constants` becomes true when it depends on their elements.
bool FindObservedInfinity(const CheckContext& context, const ResolvedOp& op, FindingSink& sink,
                          bool& looked_at_constants);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_OBSERVED_INFINITY_H_
