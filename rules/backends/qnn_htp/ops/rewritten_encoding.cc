#include "rules/backends/qnn_htp/ops/rewritten_encoding.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kRewrittenEncoding = {
    "FX205",
    "rewritten-encoding",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "ONNX Runtime's QNN provider gives 16-bit Sigmoid and Tanh outputs parameters of its own without telling the "
    "graph: what reads the output still assumes those of the file. Executed, outputs were off by up to 22,824 steps. "
    "The library itself, asked without the provider, honors the file's scale.",
    "Give a 16-bit Sigmoid output scale 1/65536 and zero point 0, a 16-bit Tanh output scale 1/32768 and zero point "
    "32768.",
    "Fires: with the toolchain onnxruntime, a uint16 Sigmoid output with scale 1/65535. Does not: scale 1/65536; any "
    "scale with the toolchain qnn-converter.",
};

bool IsRewritten(const BackendOp& op, const Target& target) {
  return target.toolchain == Toolchain::kOnnxRuntime && Is(op, {"Sigmoid", "Tanh"}) &&
         IsFixed(Output(op, 0), v1::DATA_TYPE_UINT16);
}

void CheckRewrittenEncoding(const BackendOp& op, const Target& target, OpReport& report) {
  const BackendTensor& output = Output(op, 0);
  if (!IsRewritten(op, target) || !HasScalarQparams(output)) return;
  const bool tanh = op.name == "Tanh";
  const double scale = tanh ? 1.0 / 32768 : 1.0 / 65536;
  const double zero_point = tanh ? 32768 : 0;
  if (SameScale(ScaleOf(output), scale) && ZeroPointOf(output) == zero_point) return;
  report.Add(
      kRewrittenEncoding, Out(0), QparamsText(output),
      absl::StrCat("ONNX Runtime's provider makes it scale 1/", tanh ? 32768 : 65536, ", zero point ", zero_point));
}

}  // namespace quantgate::qnn_htp
