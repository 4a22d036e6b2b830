// What a simulation's numbers mean: findings of the family SM.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_JUDGE_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_JUDGE_H_

#include <string>

#include "quantgate/v1/report.pb.h"
#include "rules/graph/graph.h"

namespace quantgate::simulator {

// Adds a result for `target` (the target's name, or "any") with the findings about report.simulation(), sets its
// verdict and Simulation.first_bad_node. A node that was not computed makes the verdict UNKNOWN.
void Judge(const Graph& graph, const std::string& target, v1::Report& report);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_JUDGE_H_
