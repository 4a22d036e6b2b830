#include "rules/backends/qnn_htp/ops/fully_connected_axis.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kFullyConnectedAxis = {
    "AX201",
    "fully-connected-axis",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is quantized along axis {observed}; {allowed}.",
    "Nothing checks the axis of FullyConnected weights: another one passes validation and "
    "preparation, its scales are applied to the outputs all the same, and every output is wrong.",
    "Quantize per output channel: axis 0 of [out, in].",
    "Fires: FullyConnected weights with one scale per input. Does not: one scale per output.",
};

void CheckFullyConnectedAxis(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "FullyConnected") return;
  const BackendTensor& weight = Input(op, 1);
  if (!IsPerChannel(weight) || weight.axis < 0 || weight.axis == 0) return;
  report.Add(kFullyConnectedAxis, In(1), absl::StrCat(weight.axis, " of [out, in]"),
             "FullyConnected takes its scales along axis 0");
}

}  // namespace quantgate::qnn_htp
