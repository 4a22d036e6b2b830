// Values that somebody needs to be integers.
#ifndef QUANTGATE_RULES_SOUNDNESS_TYPES_INTEGER_USES_H_
#define QUANTGATE_RULES_SOUNDNESS_TYPES_INTEGER_USES_H_

#include <vector>

#include "rules/graph/graph.h"

namespace quantgate {

enum class IntegerCasts {
  kMakeIntegers,  // of whatever they get
  kPassOn,        // one from integers to integers keeps what is wrong
};

// By value, whether some node needs it to be integers, as an index, a size, or where its type is asserted: at once, or
// behind nodes whose results are integers of it. An index that a node finds (argmax, sort) is one whatever it reads.
std::vector<bool> MustBeIntegers(const Graph& graph, IntegerCasts casts);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_TYPES_INTEGER_USES_H_
