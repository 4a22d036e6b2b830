#include "rules/backends/qnn_htp/ops/matmul_bias.h"

namespace quantgate::qnn_htp {

const RuleInfo kMatMulBias = {
    "FX204",
    "matmul-bias",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: {observed}; {allowed}.",
    "The bias passes validation and preparation and is not added (40 of 48 combinations that were "
    "executed).",
    "Add the bias with an ElementWiseAdd, or use FullyConnected.",
    "Fires: MatMul with per-tensor weights and a bias. Does not: FullyConnected with the same "
    "tensors.",
};

void CheckMatMulBias(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "MatMul" || !Input(op, 2).present || !Input(op, 1).type.quantized) return;
  const BackendTensor& bias = Input(op, 2);
  const bool has_scale = bias.qparams != nullptr && !bias.qparams->scales.empty() &&
                         !(bias.qparams->scales.size() == 1 && bias.qparams->scales[0] == 0.0);
  if (IsPerChannel(Input(op, 1)) && !has_scale) return;
  report.Add(kMatMulBias, In(2), "a bias of a quantized MatMul", "MatMul does not add it");
}

}  // namespace quantgate::qnn_htp
