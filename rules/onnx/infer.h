// Shapes that follow from the operators of an ONNX graph, as far as stated sizes and constants decide them, and what
// contradicts itself on the way. One pass; symbolic sizes stay unknown, and so does what is computed at run time.
#ifndef QUANTGATE_RULES_ONNX_INFER_H_
#define QUANTGATE_RULES_ONNX_INFER_H_

#include "rules/engine/context.h"
#include "rules/graph/inferred.h"

namespace quantgate {

// For CheckContext::Once. Empty for graphs that are not ONNX.
Inferred InferShapes(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_INFER_H_
