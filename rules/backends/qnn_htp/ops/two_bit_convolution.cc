#include "rules/backends/qnn_htp/ops/two_bit_convolution.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kTwoBitConvolution = {
    "DT202",
    "two-bit-convolution-arch",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The kernel that unpacks 2-bit filters exists from V73 on; FullyConnected has had one before.",
    "Use 4-bit weights, or drop the SoC from the targets.",
    "Fires: Conv2d with signed 2-bit weights on V68. Does not: on V73, or FullyConnected with 2-bit "
    "weights on V68.",
};

void CheckTwoBitConvolution(const BackendOp& op, const Target& target, OpReport& report) {
  if (target.arch == 0 || target.arch >= 73 || op.name != "Conv2d") return;
  const BackendTensor& weight = Input(op, 1);
  if (!IsBitWidth(weight) || weight.bits != 2 || !IsSignedType(weight)) return;
  report.Add(kTwoBitConvolution, In(1), absl::StrCat("2-bit weights on V", target.arch),
             "2-bit convolution weights need V73");
}

}  // namespace quantgate::qnn_htp
