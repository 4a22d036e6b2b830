// Operators that take integers have scales and zero points as arguments: along which axes of the tensor they are
// counted follows from the operator, its attributes and the shapes.
#ifndef QUANTGATE_RULES_GRAPH_ARGUMENT_AXES_H_
#define QUANTGATE_RULES_GRAPH_ARGUMENT_AXES_H_

#include <cstdint>
#include <vector>

#include "rules/graph/graph.h"

namespace quantgate {

// Values are ids; -1: none.
struct DescribedArgument {
  int32_t node = -1;
  int32_t port = 0;
  int32_t tensor = -1;
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  int32_t scale = -1;
  int32_t zero_point = -1;
  size_t count = 0;  // of the scales, or where there are none of the zero points
};

struct ArgumentAxes {
  std::vector<int32_t> axes;                      // empty: per tensor
  std::vector<int64_t> block_sizes;               // beside axes; empty: not in blocks
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;  // of what is packed in the tensor's bytes; UNSPECIFIED: its own type
  bool packed_zero_points = false;                // several in a byte: they are not a list of numbers
  bool known = true;                              // false: a layout that is not known here
};

ArgumentAxes AxesOf(const Graph& graph, const DescribedArgument& argument);

// Weights of the experts of com.microsoft::QMoE at one of its ports, [experts, outputs, bytes].
struct PackedExperts {
  static constexpr int32_t kFirstProduct = 2;  // port of its weights

  int64_t bits = 0;
  int64_t block_size = 0;  // along the inputs, as stated; 0: none is
  // A scale for each block, else for each output: what the scales of the first product are, all others have to be.
  bool in_blocks = false;

  int64_t per_byte() const { return 8 / bits; }
};

// False: `node` has no such weights there, or their layout is not known.
bool FindPackedExperts(const Graph& graph, int32_t node, int32_t port, PackedExperts& experts);

// Whether weights of `node` have scales whose layout is not known here: AxesOf knows none for them.
bool HasUnknownAxes(const Graph& graph, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_ARGUMENT_AXES_H_
