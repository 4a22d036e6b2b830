// Nodes of a torch.fx graph that change nothing, and that ExecuTorch 1.5.1 takes out before it asks about any
// (qualcomm/_passes/remove_redundancy.py, exir/passes/remove_noop_pass.py).
#ifndef QUANTGATE_RULES_BACKENDS_QNN_REMOVED_H_
#define QUANTGATE_RULES_BACKENDS_QNN_REMOVED_H_

#include <cstdint>

#include "rules/graph/graph.h"

namespace quantgate::qnn {

bool IsRemoved(const Graph& graph, int32_t node);

// The tensor that such nodes pass on as `value`. A long chain of them, or a cycle, is left on the way; -1: there is
// none.
int32_t BehindRemoved(const Graph& graph, int32_t value);

// A dropout that drops: exported in training, or a functional one that was not told of evaluation.
bool Drops(const Graph& graph, int32_t node);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_REMOVED_H_
