// Which operators of ATen give memory that is there already, and which write into it.
#ifndef QUANTGATE_RULES_VALUES_VIEWS_H_
#define QUANTGATE_RULES_VALUES_VIEWS_H_

#include <cstdint>

#include "rules/graph/graph.h"

namespace quantgate {

// Its results are memory of its first input, or parts of a tuple of such; those that may copy instead are none. Also
// what changes a shape in place.
bool IsView(const Graph& graph, int32_t node);

// The operator writes its first argument: ATen's names of those end in "_".
bool WritesInPlace(const Graph& graph, int32_t node);

// It writes elements into its first input.
bool Assigns(const Graph& graph, int32_t node);

// Input `i` of `node` is a buffer that the operator writes in place (index_put_, copy_), or a view of one. torchao's
// prepare leaves it as it is, whatever spec the edge has: observed, it would be a copy that is written. (Parameters it
// does observe; the graph does not tell them from buffers, and no exported model writes them.)
bool IsWrittenBuffer(const Graph& graph, int32_t node, int i);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_VIEWS_H_
