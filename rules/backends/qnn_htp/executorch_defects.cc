#include "rules/backends/qnn_htp/executorch_defects.h"

#include <algorithm>

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

void MarkUnreached(const CheckContext& context, ModuleResult& result) {
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  int32_t last = -1;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (result.ops[i].raises) last = std::max(last, ops[i].node);
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].node < last) result.ops[i].reached = false;
  }
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

}  // namespace quantgate::qnn_htp
