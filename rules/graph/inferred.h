// Shapes of a graph's values after one pass over its nodes.
#ifndef QUANTGATE_RULES_GRAPH_INFERRED_H_
#define QUANTGATE_RULES_GRAPH_INFERRED_H_

#include <deque>
#include <vector>

#include "rules/graph/known_numbers.h"
#include "rules/graph/node_shapes.h"

namespace quantgate {

struct DeclaredOtherwise {
  int32_t value;
  Dims inferred;
};

struct Inferred {
  // By value id: what the producer makes; what the file declares where that is not known.
  std::vector<Shape> shapes;
  std::vector<Contradiction> contradictions;
  // Values whose declared shape is not the one that their producer makes.
  std::vector<DeclaredOtherwise> declared_otherwise;
  // What nodes compute around shapes (ONNX).
  KnownNumbers numbers;  // integers and truth values
  KnownReals reals;
  std::deque<Dims> storage;  // of shapes that the message does not hold
};

// Takes over what the producer of `value` makes into its shape, which is what the file declares so far: each may know
// sizes that the other does not.
void Take(const NodeShapes::Output& output, int32_t value, Inferred& inferred);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_INFERRED_H_
