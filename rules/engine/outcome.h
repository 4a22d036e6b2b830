// The vendor decides whether a node is refused; the toolchain decides what a refused node means: it runs on the CPU, it
// splits the graph, or the whole export fails.
#ifndef QUANTGATE_RULES_ENGINE_OUTCOME_H_
#define QUANTGATE_RULES_ENGINE_OUTCOME_H_

#include <string>
#include <vector>

#include "quantgate/v1/report.pb.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/toolchain.h"
#include "rules/graph/resolve.h"

namespace quantgate {

// Adds the nodes of one graph to `outcome`. A refused node that this toolchain runs elsewhere turns the effect of its
// REFUSED findings into FALLBACK, a warning.
void ApplyToolchain(const Target& target, const Graph& graph, const ResolvedGraph& resolved, const ModuleResult& judged,
                    std::vector<FindingDraft>& findings, v1::Outcome& outcome);

// Sets kind and cause once all graphs of the model are in; `judged_all`: no operator was left unjudged.
void FinishOutcome(bool judged_all, v1::Result& result);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_OUTCOME_H_
