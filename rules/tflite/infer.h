// Shapes that follow from the operators of a LiteRT model, as LiteRT finds them when it allocates the model, and what
// contradicts itself on the way. One pass.
#ifndef QUANTGATE_RULES_TFLITE_INFER_H_
#define QUANTGATE_RULES_TFLITE_INFER_H_

#include "rules/engine/context.h"
#include "rules/graph/inferred.h"

namespace quantgate {

// For CheckContext::Once. Empty for graphs that are not LiteRT's.
Inferred InferTfliteShapes(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_INFER_H_
