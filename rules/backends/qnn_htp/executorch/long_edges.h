// Integers of 64 bits that a delegate takes in or gives out.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_LONG_EDGES_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_LONG_EDGES_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kLongEdge;  // GS208

// Finds tensors of int64 with more than four dimensions that go into a delegate, or come out of the model's; marks the
// operators there as the end of the export. Linear time.
void CheckLongEdges(const CheckContext& context, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_LONG_EDGES_H_
