#include "rules/backends/qnn_htp/no_float.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kNoFloat = {
    "DT106",
    "no-float",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} computes {observed}; {allowed}.",
    "The HTP of some SoCs has no floating point. With the libraries of QAIRT 2.49.40 that ExecuTorch 1.5.1 is built "
    "for, "
    "their validation refuses every operator on floats, those that pick elements too; Reshape, Transpose and Cast are "
    "taken.",
    "Quantize the operator, or leave it to the CPU.",
    "Fires: a float Add for QCM6490 with the toolchain executorch. Does not: the same for SM8350, which is V68, too; a "
    "quantized Add.",
};

void CheckNoFloat(const BackendOp& op, const Target& target, OpReport& report) {
  if (target.toolchain != Toolchain::kExecuTorch || target.has_float) return;
  if (Is(op, {"Reshape", "Transpose", "Cast", "Quantize", "Dequantize"})) return;
  // A constant beside quantized tensors is stored as they are.
  const auto is_float = [](const BackendTensor& tensor) {
    return tensor.present && !tensor.is_static && IsFloat(tensor);
  };
  if (!absl::c_any_of(op.inputs, is_float) && !absl::c_any_of(op.outputs, is_float)) return;
  report.Add(kNoFloat, Whole(), "floats", absl::StrCat(target.soc, " has no operators on them"), v1::Source::MEASURED,
             kMeasuredByLowering);
}

}  // namespace quantgate::qnn_htp
