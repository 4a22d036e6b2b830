// Which operators of ATen give memory that is there already, and which write elements into it.
#ifndef QUANTGATE_RULES_VALUES_VIEWS_H_
#define QUANTGATE_RULES_VALUES_VIEWS_H_

#include <cstdint>

#include "rules/graph/graph.h"

namespace quantgate {

// Its results are memory of its first input, or parts of a tuple of such; those that may copy instead are none. Also
// what changes a shape in place.
bool IsView(const Graph& graph, int32_t node);

// It writes elements into its first input.
bool Assigns(const Graph& graph, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_VIEWS_H_
