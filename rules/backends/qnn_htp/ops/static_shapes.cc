#include "rules/backends/qnn_htp/ops/static_shapes.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"

namespace quantgate::qnn_htp {
namespace {

// What ExecuTorch's lowerings showed of QAIRT 2.49.40, on every arch: of 16 bits a sum takes any size along its last
// two axes ("incorrect dynamic dimensions" along others), a sigmoid along the last, a softmax along the one before; of
// 8 bits and in float they do not. Nothing else was asked.
bool TakesAnySize(const BackendOp& op, const BackendTensor& tensor, const Target& target) {
  if (!absl::StartsWith(target.sdk, "2.49") || !Is(op, {"ElementWiseAdd", "Sigmoid", "Softmax"})) return false;
  const v1::DataType type = tensor.type.type;
  const bool wide = type == v1::DATA_TYPE_UINT16 || type == v1::DATA_TYPE_INT16 ||
                    (type == v1::DATA_TYPE_INT32 && op.name == "ElementWiseAdd");
  const size_t rank = tensor.dims.size();
  if (!tensor.type.quantized || !wide || rank < 2) return false;
  const bool last = op.name != "Softmax" || tensor.dims[rank - 1] >= 0;
  const bool before = op.name != "Sigmoid" || tensor.dims[rank - 2] >= 0;
  return last && before && absl::c_all_of(tensor.dims.first(rank - 2), [](int64_t size) { return size >= 0; });
}

}  // namespace

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
    "Fires: Conv2d with a symbolic batch. Does not: Conv2d with a batch of 8, nor, with SDK 2.49, a sum of 16 bits "
    "whose last size is symbolic.",
};

void CheckStaticShapes(const BackendOp& op, const Target& target, OpReport& report) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].dynamic_shape != Tri::kYes || TakesAnySize(op, op.inputs[i], target)) continue;
    report.Add(kStaticShapes, In(static_cast<int>(i)), "a size that is not fixed", "HTP takes fixed sizes only");
    return;  // one dimension runs through the whole operator
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (op.outputs[i].dynamic_shape != Tri::kYes || TakesAnySize(op, op.outputs[i], target)) continue;
    // What it reads is fixed: the numbers of a tensor decide, or parameters that do not fit.
    report.Add(kStaticShapes, Out(static_cast<int>(i)),
               "a size that is neither stated nor follows from the inputs' sizes and the parameters",
               "HTP takes fixed sizes only");
    return;
  }
}

}  // namespace quantgate::qnn_htp
