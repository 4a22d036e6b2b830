#include "rules/backends/qnn_htp/ops/empty_tensor.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate::qnn_htp {

const RuleInfo kEmptyTensor = {
    "GS207",
    "empty-tensor",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Validation takes tensors without elements, and no graph with one is prepared: \"tensor has 0 sized non-batch "
    "dimension\", or, of an empty batch, the process that compiles the model dies of SIGFPE without a message.",
    "Leave the operator out, or export the model with an example input that has elements.",
    "Fires: Relu of shape [2, 0] or [0, 16]. Does not: of shape [2, 1]; a StridedSlice or a Split that takes nothing, "
    "which validation refuses (inferred-shape).",
};

void CheckEmptyTensor(const BackendOp& op, const Target&, OpReport& report) {
  if (Is(op, {"StridedSlice", "Split", "Quantize", "Dequantize"})) return;
  const auto check = [&report](absl::Span<const BackendTensor> tensors, PortRef::Kind kind) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].present || !absl::c_linear_search(tensors[i].dims, 0)) continue;
      report.Add(kEmptyTensor, {kind, static_cast<int16_t>(i)},
                 absl::StrCat("shape [", absl::StrJoin(tensors[i].dims, ", "), "]"),
                 "HTP prepares only tensors that have elements");
      return true;
    }
    return false;
  };
  if (!check(op.inputs, PortRef::kInput)) check(op.outputs, PortRef::kOutput);
}

}  // namespace quantgate::qnn_htp
