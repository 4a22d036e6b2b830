// Shapes that follow from the operators of an ONNX graph, as far as stated sizes and constants decide them, and what
// contradicts itself on the way. One pass; symbolic sizes stay unknown, and so does what is computed at run time.
#ifndef QUANTGATE_RULES_ONNX_INFER_H_
#define QUANTGATE_RULES_ONNX_INFER_H_

#include <deque>
#include <vector>

#include "rules/engine/context.h"
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
  std::deque<Dims> storage;  // of shapes that the message does not hold
};

// For CheckContext::Once. Empty for graphs that are not ONNX.
Inferred InferShapes(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_INFER_H_
