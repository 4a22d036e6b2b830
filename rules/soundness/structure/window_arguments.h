// The numbers that place the windows of PyTorch's convolutions and pools: which ones PyTorch takes.
#ifndef QUANTGATE_RULES_SOUNDNESS_STRUCTURE_WINDOW_ARGUMENTS_H_
#define QUANTGATE_RULES_SOUNDNESS_STRUCTURE_WINDOW_ARGUMENTS_H_

#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/graph/graph.h"

namespace quantgate {

// Findings of `rule` for each argument of a kind that the operator's schema does not have, and for each number that it
// does not compute with. For programs in files: in a live graph PyTorch itself has checked them.
void CheckWindowArguments(const Graph& graph, const RuleInfo& rule, FindingSink& sink);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_STRUCTURE_WINDOW_ARGUMENTS_H_
