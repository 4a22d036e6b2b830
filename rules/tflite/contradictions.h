// What contradicts itself between an operator of a LiteRT model and its tensors: what LiteRT's kernels ask for when
// they are prepared (tflite/kernels/*.cc, `Prepare`), as far as the file states shapes and constants.
#ifndef QUANTGATE_RULES_TFLITE_CONTRADICTIONS_H_
#define QUANTGATE_RULES_TFLITE_CONTRADICTIONS_H_

#include <vector>

#include "rules/engine/context.h"
#include "rules/graph/node_shapes.h"

namespace quantgate {

// For CheckContext::Once, in node order. Empty for graphs that are not LiteRT's.
std::vector<Contradiction> TfliteContradictions(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_CONTRADICTIONS_H_
