// What operators of ATen write in place.
#ifndef QUANTGATE_RULES_GRAPH_WRITTEN_BUFFER_H_
#define QUANTGATE_RULES_GRAPH_WRITTEN_BUFFER_H_

#include <cstdint>

#include "rules/graph/graph.h"

namespace quantgate {

// The operator writes its first argument: ATen's names of those end in "_".
bool WritesInPlace(const Graph& graph, int32_t node);

// Input `i` of `node` is a buffer that the operator writes in place (index_put_, copy_), or a view of one. torchao's
// prepare leaves it as it is, whatever spec the edge has: observed, it would be a copy that is written. (Parameters it
// does observe; the graph does not tell them from buffers, and no exported model writes them.)
bool IsWrittenBuffer(const Graph& graph, int32_t node, int i);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_WRITTEN_BUFFER_H_
