#include "rules/backends/qnn_htp/ops/tanh_zero_point.h"

namespace quantgate::qnn_htp {

const RuleInfo kTanhZeroPoint = {
    "FX202",
    "tanh-zero-point",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "It is the one parameter of a fixed range that validation compares.",
    "Give the output zero point 32768 (and scale 1/32768).",
    "Fires: a UFIXED_POINT_16 Tanh output with zero point 32767. Does not: 32768.",
};

void CheckTanhZeroPoint(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "Tanh") return;
  const BackendTensor& output = Output(op, 0);
  if (!IsFixed(output, v1::DATA_TYPE_UINT16) || !HasScalarQparams(output) || ZeroPointOf(output) == 32768.0) return;
  report.Add(kTanhZeroPoint, Out(0), QparamsText(output), "the zero point must be 32768");
}

}  // namespace quantgate::qnn_htp
