// Operators that PyTorch's decompositions, which ExecuTorch runs, say by others.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_TAKEN_APART_H_
#define QUANTGATE_RULES_BACKENDS_QNN_TAKEN_APART_H_

#include <optional>

#include "rules/backends/emission.h"
#include "rules/backends/lowering.h"
#include "rules/backends/node_view.h"

namespace quantgate::qnn {

// Emits the parts of an operator of ATen, as far as it is known which they are and how they are quantized; nullopt: it
// is not known to be taken apart. What becomes of each operator was read off the nodes that ExecuTorch 1.5.1 asks
// about.
std::optional<Lowering> LowerTakenApart(const NodeView& view, Emission& emission);

// Whether each of its results is one of its inputs, where it is folded.
bool PassesOnSeveral(const Graph& graph, int32_t node);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_TAKEN_APART_H_
