// Values that somebody needs to be integers.
#ifndef QUANTGATE_RULES_SOUNDNESS_TYPES_INTEGER_USES_H_
#define QUANTGATE_RULES_SOUNDNESS_TYPES_INTEGER_USES_H_

#include <vector>

#include "rules/graph/graph.h"

namespace quantgate {

// By value, whether some node fails when it turns out to be a float, as an index, a size, or where its type is
// asserted: at once, or behind nodes whose results then are floats too. A cast makes integers of it.
std::vector<bool> MustBeIntegers(const Graph& graph);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_TYPES_INTEGER_USES_H_
