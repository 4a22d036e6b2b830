#include "rules/backends/qnn_htp/ops/run_time_weights.h"

namespace quantgate::qnn_htp {

const RuleInfo kRunTimeWeights = {
    "AX202",
    "run-time-per-channel-weights",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "Per-channel scales are folded into the weights when the graph is prepared. Weights that arrive "
    "at run time keep the passes happy and every output is wrong.",
    "Make the weights a constant, or quantize them per tensor.",
    "Fires: FullyConnected with per-channel weights that another node computes. Does not: constant "
    "weights.",
};

void CheckRunTimeWeights(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "FullyConnected") return;
  const BackendTensor& weight = Input(op, 1);
  if (weight.encoding != Encoding::kPerChannel || weight.is_static || weight.static_chain) return;
  report.Add(kRunTimeWeights, In(1), "per-channel weights that are computed at run time",
             "per-channel weights of FullyConnected must be constants");
}

}  // namespace quantgate::qnn_htp
