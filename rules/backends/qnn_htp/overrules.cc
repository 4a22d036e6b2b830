#include "rules/backends/qnn_htp/overrules.h"

#include "rules/backends/qnn_htp/op_rule.h"
#include "rules/constraints/rules.h"

namespace quantgate::qnn_htp {
namespace {

bool AtWeight(const BackendOp& op, const Violation& violation) {
  return HasWeight(op) && violation.port.kind == PortRef::kInput && violation.port.index == 1;
}

bool AtBias(const BackendOp& op, const Violation& violation) {
  return (IsConvolution(op) || op.name == "FullyConnected") && violation.port.kind == PortRef::kInput &&
         violation.port.index == 2;
}

Ruling OverruleWeight(const BackendOp& op, const Violation& violation) {
  const BackendTensor& weight = Input(op, 1);
  const BackendTensor& activation = Input(op, 0);
  // LPBQ "requires V79": Conv2d, FullyConnected and MatMul took it on every arch, and computed right.
  if (violation.rule == &kMinimumArch && weight.encoding == Encoding::kBlockExpansion && activation.type.quantized &&
      Is(op, {"Conv2d", "FullyConnected", "MatMul"})) {
    return Ruling::kTolerated;
  }
  // "Per-channel weights must be signed": unsigned ones with the zero point in the middle computed right.
  if (violation.rule == &kSignedness && weight.encoding == Encoding::kPerChannel && weight.symmetric == Tri::kYes) {
    return Ruling::kTolerated;
  }
  // "Per-channel weights must be static": not enforced for integer activations; FullyConnected then computes nonsense
  // (run-time-per-channel-weights).
  if (violation.rule == &kConstness && weight.encoding == Encoding::kPerChannel && activation.type.quantized) {
    return op.name == "FullyConnected" ? Ruling::kReplaced : Ruling::kTolerated;
  }
  // The axis of FullyConnected is not looked at; the numbers are wrong instead (fully-connected-axis).
  if (violation.rule == &kEncodingAxis && op.name == "FullyConnected" && IsPerChannel(weight)) return Ruling::kReplaced;
  return Ruling::kStands;
}

}  // namespace

Ruling Overrule(const BackendOp& op, const Violation& violation) {
  if (violation.evidence != db::Evidence::kDocumented) return Ruling::kStands;
  if (AtWeight(op, violation)) return OverruleWeight(op, violation);
  // "Channel scaling expects bias scale 0": what really happens depends on more than that (bias-scale).
  if (AtBias(op, violation) && violation.rule == &kFixedQparams) return Ruling::kReplaced;
  const bool at_output = violation.port.kind == PortRef::kOutput;
  // The C API honored any scale of 16-bit sigmoids and hyperbolic tangents; one zero point is compared
  // (tanh-zero-point).
  if (violation.rule == &kFixedQparams && at_output && Is(op, {"Sigmoid", "Tanh"})) {
    const BackendTensor& output = Output(op, violation.port.index);
    const bool refused = op.name == "Tanh" && IsFixed(output, v1::DATA_TYPE_UINT16) && HasScalarQparams(output) &&
                         ZeroPointOf(output) != 32768.0;
    return refused ? Ruling::kReplaced : Ruling::kTolerated;
  }
  // Gather requantizes; only its zero points are compared. For the others the scale is ignored
  // (ignored-output-encoding).
  if (violation.rule == &kUnequalScale && at_output) {
    if (op.name == "Gather") return Ruling::kTolerated;
    if (Is(op, {"GatherElements", "GatherNd", "TopK"})) return Ruling::kReplaced;
  }
  // The list of types by rank leaves out rows of its own table (FLOAT_32 of rank 4, BOOL_8 of rank 5): both pass.
  if (violation.rule == &kPortType && op.name == "Transpose") return Ruling::kTolerated;
  // The smallest instead of the largest: passes and prepares.
  if (violation.rule == &kParameterValue && op.name == "TopK") return Ruling::kTolerated;
  return Ruling::kStands;
}

}  // namespace quantgate::qnn_htp
