// Assignments to a part of a tensor, x[i] = y, which an exported graph has as operators that write in place.
#ifndef QUANTGATE_RULES_BACKENDS_IN_PLACE_H_
#define QUANTGATE_RULES_BACKENDS_IN_PLACE_H_

#include "rules/graph/graph.h"

namespace quantgate {

// Whether the node of an ATen graph writes into what a select takes out of a tensor. PyTorch says that by a
// select_scatter, which ExecuTorch takes apart into a comparison of indices and a where.
bool WritesIntoSelection(const Graph& graph, int32_t node);

// Whether the node of an ATen graph writes into a part of a tensor that is read afterwards, by the model or its caller.
// PyTorch says that by a slice_scatter, a select_scatter or their like.
bool WritesIntoPart(const Graph& graph, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_IN_PLACE_H_
