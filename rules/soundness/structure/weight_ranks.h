// What PyTorch's convolutions and linear layers ask of their weights' ranks.
#ifndef QUANTGATE_RULES_SOUNDNESS_STRUCTURE_WEIGHT_RANKS_H_
#define QUANTGATE_RULES_SOUNDNESS_STRUCTURE_WEIGHT_RANKS_H_

#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/graph/graph.h"

namespace quantgate {

// Findings of `rule` for weights that the operator cannot compute with, whatever else it is given. For programs in
// files: in a live graph PyTorch itself has checked them.
void CheckWeightRanks(const Graph& graph, const RuleInfo& rule, FindingSink& sink);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_STRUCTURE_WEIGHT_RANKS_H_
