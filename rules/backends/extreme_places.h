// The places of a maximum or minimum along a dimension (aten.max.dim, aten.min.dim) on ExecuTorch's way to QNN.
#ifndef QUANTGATE_RULES_BACKENDS_EXTREME_PLACES_H_
#define QUANTGATE_RULES_BACKENDS_EXTREME_PLACES_H_

#include <cstdint>

#include "rules/backends/node_view.h"
#include "rules/graph/graph.h"

namespace quantgate {

// Whether they stay a second result. ExecuTorch's pass (qualcomm/_passes/decompose_minmaxdim.py) makes an arg max of
// them for the functions torch.max and torch.min as a strict export notes them; neither for the methods x.max(dim) and
// x.min(dim) nor after an export that is not strict. false where the graph does not say what its source calls.
bool KeepsPlaces(const Graph& graph, int32_t node);

// Of those that are kept: whether QNN refuses the node, for the values of a quantized tensor, which have no encoding
// where nobody reads them. Otherwise it is taken, and is not prepared (EN228) where the places are read.
bool RefusesPlaces(const NodeView& view);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_EXTREME_PLACES_H_
