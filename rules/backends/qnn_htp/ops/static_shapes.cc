#include "rules/backends/qnn_htp/ops/static_shapes.h"

namespace quantgate::qnn_htp {

const RuleInfo kStaticShapes = {
    "GS201",
    "static-shapes",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "HTP lays out its memory when the graph is prepared; validation answers \"can only have static "
    "dimensions\".",
    "Export the model with fixed sizes.",
    "Fires: Conv2d with a symbolic batch. Does not: Conv2d with a batch of 8.",
};

void CheckStaticShapes(const BackendOp& op, const Target& target, OpReport& report) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].dynamic_shape != Tri::kYes) continue;
    report.Add(kStaticShapes, In(static_cast<int>(i)), "a size that is not fixed", "HTP takes fixed sizes only");
    return;  // one dimension runs through the whole operator
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (op.outputs[i].dynamic_shape != Tri::kYes) continue;
    // What it reads is fixed: the numbers of a tensor decide, or parameters that do not fit.
    report.Add(kStaticShapes, Out(static_cast<int>(i)),
               "a size that is neither stated nor follows from the inputs' sizes and the parameters",
               "HTP takes fixed sizes only");
    return;
  }
}

}  // namespace quantgate::qnn_htp
