#include "rules/backends/qnn_htp/ops/per_channel_activation.h"

namespace quantgate::qnn_htp {

const RuleInfo kPerChannelActivation = {
    "AX205",
    "per-channel-activation",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Activations have one scale. Of 1,188 per-channel ones that were tried 772 were refused, mostly "
    "only when the graph was prepared; what the others compute is not known.",
    "Quantize the activation per tensor.",
    "Fires: MaxPool whose output has one scale per channel. Does not: one scale.",
};

void CheckPerChannelActivation(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name == "Convert" || op.name == "Dequantize") return;  // made to change encodings
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const BackendTensor& tensor = op.inputs[i];
    const bool weight = i > 0 && (HasWeight(op) || Is(op, {"Batchnorm", "GroupNorm", "InstanceNorm", "LayerNorm",
                                                           "RmsNorm", "Prelu", "Lstm", "Gru"}));
    if (weight || tensor.is_static || tensor.static_chain || !tensor.present) continue;
    if (!IsPerChannel(tensor) && !IsBlocked(tensor)) continue;
    report.Add(kPerChannelActivation, In(static_cast<int>(i)), "more than one scale", "activations have one scale");
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!IsPerChannel(op.outputs[i]) && !IsBlocked(op.outputs[i])) continue;
    report.Add(kPerChannelActivation, Out(static_cast<int>(i)), "more than one scale", "activations have one scale");
  }
}

}  // namespace quantgate::qnn_htp
