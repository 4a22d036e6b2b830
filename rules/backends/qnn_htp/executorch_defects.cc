#include "rules/backends/qnn_htp/executorch_defects.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kMaxPoolStride = {
    "EN202",
    "executorch-max-pool-stride",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The builder of ExecuTorch 1.5.1 reads the stride argument of max_pool2d without asking whether it is there, and "
    "the whole lowering ends with \"IndexError: tuple index out of range\".",
    "Write the stride out: max_pool2d(x, k, stride=k) is the same pooling.",
    "Fires: aten.max_pool2d.default(x, [2, 2]) with the toolchain executorch. Does not: (x, [2, 2], [2, 2]), or the "
    "toolchain qnn-converter.",
};

const RuleInfo kTwoBitPerTensor = {
    "EN203",
    "executorch-two-bit-per-tensor",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "The builder of ExecuTorch 1.5.1 raises \"2-bit quantization (range=3) does not support per-tensor encoding\" and "
    "the whole lowering ends.",
    "Quantize the constant per channel, or with 4 or 8 bits.",
    "Fires: an instance_norm gamma of 2 bits with one scale, with the toolchain executorch. Does not: a 2-bit weight "
    "with a scale per channel.",
};

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

bool FindMaxPoolStride(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E || graph.op_type(op.node) != "aten.max_pool2d.default" ||
      graph.attribute(op.node, "stride") != nullptr) {
    return false;
  }
  Place place;
  place.node = op.node;
  FindingSource source;
  source.kind = v1::Source::MEASURED;
  source.document = "ExecuTorch 1.5.1, run";
  sink.Add(kMaxPoolStride, place, "no stride argument", "ExecuTorch 1.5.1 needs it written out", std::move(source));
  return true;
}

void CheckTwoBitPerTensor(const BackendOp& op, const Target& target, OpReport& report) {
  if (target.toolchain != Toolchain::kExecuTorch) return;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const BackendTensor& input = op.inputs[i];
    if (!input.is_static || input.bits != 2 || input.encoding != Encoding::kBwPerTensor) continue;
    report.Add(kTwoBitPerTensor, In(static_cast<int>(i)), "a 2-bit constant with one scale",
               "ExecuTorch 1.5.1 builds those per channel only", v1::Source::MEASURED, kMeasuredByLowering);
  }
}

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
