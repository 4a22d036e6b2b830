// Values that prepare_pt2e puts no observer behind, whatever their annotation asks.
#ifndef QUANTGATE_RULES_SOUNDNESS_UNOBSERVED_H_
#define QUANTGATE_RULES_SOUNDNESS_UNOBSERVED_H_

#include <cstdint>

#include "rules/graph/graph.h"

namespace quantgate {

// A tuple: somebody takes an element out of it, or the operator has several results.
bool IsTuple(const Graph& graph, int32_t value);

// A number (a SymInt, what item() gives), a tuple, or what else the sender says is no tensor.
bool IsNoTensor(const Graph& graph, int32_t value);

// Whether there can be any, told by one node and value of each kind.
bool MayHaveNoTensors(const Graph& graph);

// What torch.fx's output node stands for as a value: what the graph returns is on its edges.
bool IsOfOutputNode(const Graph& graph, int32_t value);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_UNOBSERVED_H_
