#include "rules/backends/qnn_htp/ops/observed_tanh.h"

namespace quantgate::qnn_htp {

const RuleInfo kObservedTanh = {
    "FX206",
    "observed-tanh",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnnotated,
    "{subject} has {observed}; {allowed}.",
    "Validation takes a 16-bit Tanh with zero point 32768 alone (FX202). An observer measures that only where the "
    "least and the greatest value are opposites to the last bit. QnnQuantizer fixes it where it annotates tanh "
    "itself; a tanh that is left out gets the encoding that its reader is annotated with.",
    "Give the output a fixed spec (scale 1/32768, zero point 32768), or annotate the tanh, too.",
    "Fires: a tanh without a spec in front of a linear that reads 0..65535, with the toolchain executorch. Does not: "
    "a fixed zero point of 32768, or 0..255.",
};

void CheckObservedTanh(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "Tanh" || target.toolchain != Toolchain::kExecuTorch) return;
  const BackendTensor& output = Output(op, 0);
  const bool known = output.qparams != nullptr && !output.qparams->scales.empty();
  if (!IsFixed(output, v1::DATA_TYPE_UINT16) || known) return;
  report.Add(kObservedTanh, Out(0), "a zero point that an observer measures", "it must be 32768");
}

}  // namespace quantgate::qnn_htp
