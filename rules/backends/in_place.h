// Operators that write in place, which an exported graph has for assignments to a part of a tensor, x[i] = y, too.
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

// Whether the node of an ATen graph works in place on what nobody reads afterwards, as the silu_ does that QnnQuantizer
// has written out in front of it and leaves behind. PyTorch takes it out when it lowers the program.
bool WritesForNobody(const Graph& graph, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_IN_PLACE_H_
