// How many inputs and outputs the kernel of a LiteRT operator asks for.
#ifndef QUANTGATE_RULES_TFLITE_ARGUMENT_COUNTS_H_
#define QUANTGATE_RULES_TFLITE_ARGUMENT_COUNTS_H_

#include <cstdint>
#include <optional>

#include "rules/graph/graph.h"

namespace quantgate {

struct CountRange {
  int least = 0;
  int most = 0;
  int step = 1;  // LSTM has 20 or 24

  bool Has(int count) const { return count >= least && count <= most && (count - least) % step == 0; }
};

struct ArgumentCounts {
  CountRange inputs;
  CountRange outputs;
};

// None: an operator without a kernel of its own (custom ones, most of StableHLO), one whose arguments are those of the
// subgraphs that it runs, and one whose own parameters say how many, where it has another operator's.
std::optional<ArgumentCounts> ArgumentCountsOf(const Graph& graph, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_ARGUMENT_COUNTS_H_
