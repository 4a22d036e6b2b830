// How ExecuTorch cuts a graph into delegates around the nodes that HTP refuses.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_PARTITION_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_PARTITION_H_

#include <vector>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kDelegateWithoutInput;  // CV203
extern const RuleInfo kWeightOfTwoDelegates;  // CV206

// It is an operator of the backend, and not refused.
bool IsDelegated(const ModuleResult::OpOutcome& op);
// The same of a node. One that is folded, as a getitem is, is part of the operator in front; one that is taken out is
// in nobody's way.
bool IsInDelegate(const CheckContext& context, const ModuleResult& result, int32_t node);

// By operator; -1: in none. Empty: one for all. Of more than are told apart each operator counts as one. Linear time.
std::vector<int> DelegateOfEach(const CheckContext& context, const ModuleResult& result);

// Finds delegates that compute from constants alone, and constants with several scales that two delegates read; marks
// the operators that are reported as the end of the export. Linear time.
void CheckDelegates(const CheckContext& context, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_PARTITION_H_
