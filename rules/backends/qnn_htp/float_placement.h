// Where kernels of V68 leave FLOAT_32: some in the vector memory (VTCM), from where nothing brings it to those that
// read main memory. Validation looks at one operator at a time and cannot see it; preparing the graph then fails.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_FLOAT_PLACEMENT_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_FLOAT_PLACEMENT_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kFloatPlacement;  // DT212

// Finds the operators that cannot be prepared for this, and marks them; what is not delegated neither leaves nor reads
// anything there. Linear time, and none for a target with other kernels.
void CheckFloatPlacement(const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_FLOAT_PLACEMENT_H_
