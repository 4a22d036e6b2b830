#include "rules/backends/qnn_htp/ops/per_channel_parameters.h"

namespace quantgate::qnn_htp {

const RuleInfo kPerChannelParameters = {
    "AX204",
    "per-channel-norm-parameters",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Validation lets it pass, preparation of the graph then fails: these kernels take one scale for "
    "gamma, beta or slope.",
    "Quantize the parameter per tensor.",
    "Fires: LayerNorm with a per-channel gamma. Does not: the same gamma with one scale.",
};

void CheckPerChannelParameters(const BackendOp& op, const Target& target, OpReport& report) {
  if (!Is(op, {"Batchnorm", "GroupNorm", "InstanceNorm", "LayerNorm", "RmsNorm", "Prelu"})) return;
  if (!IsPerChannel(Input(op, 1)) && !IsBlocked(Input(op, 1))) return;
  report.Add(kPerChannelParameters, In(1), "more than one scale", "it must have one scale for the whole tensor");
}

}  // namespace quantgate::qnn_htp
