#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "NR010",
    "requantization-multiplier",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kFromCalibrated,
    "{subject}: {observed}; expected {allowed}",
    "Sums of products become results by one multiplication, with input scale x weight scale / output scale. Kernels "
    "have "
    "room for it from 2^-32 up to 256 (XNNPACK); below, every result is the zero point, and above, results are far "
    "apart. From 1 on neighboring sums are already more than one step apart, and some processors (Arm Ethos-N) refuse "
    "that.",
    "Calibrate again: the output's range is too narrow for what the operator computes, or a channel of the weight is "
    "nearly zero.",
    "A convolution with an input scale of 0.5, a weight scale of 0.5 and an output scale of 1e-4 fires it; with an "
    "output "
    "scale of 0.5 it does not.",
};

constexpr double kLowest = 0x1p-32;
constexpr double kLimit = 256;

// The scales whose product the sums have; null: not all are known, or they differ within a sum.
struct Scales {
  const QuantParams* input = nullptr;
  const QuantParams* weight = nullptr;
  const QuantParams* output = nullptr;
};

bool IsKnown(const QuantParams* params) { return params != nullptr && !params->scales.empty() && !params->blocked(); }

Scales ScalesOf(const ResolvedGraph& resolved, const ResolvedOp& op) {
  Scales scales;
  for (const Operand& operand : resolved.inputs(op)) {
    if (!operand.present || operand.port >= op.op->inputs.size()) continue;
    const PortRole role = op.op->inputs[operand.port].role;
    if (role != PortRole::kActivation && role != PortRole::kWeight) continue;
    const QuantParams* params = operand.quantized ? resolved.qparams(operand) : nullptr;
    if (!IsKnown(params)) return {};
    if (role == PortRole::kActivation && scales.input == nullptr) {
      scales.input = params;
    } else if (scales.weight == nullptr) {
      scales.weight = params;
    } else {
      return {};  // a recurrent operator: a weight for each gate
    }
  }
  const absl::Span<const Operand> outputs = resolved.outputs(op);
  if (outputs.size() == 1 && outputs[0].quantized) scales.output = resolved.qparams(outputs[0]);
  return scales;
}

void CheckOp(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Scales scales = ScalesOf(context.resolved(), op);
  if (!IsKnown(scales.input) || !IsKnown(scales.weight) || !IsKnown(scales.output)) return;
  if (scales.input->scales.size() != 1 || scales.output->scales.size() != 1) return;
  const auto [low, high] = std::minmax_element(scales.weight->scales.begin(), scales.weight->scales.end());
  const double factor = scales.input->scales[0] / scales.output->scales[0];
  const double least = factor * *low;
  const double most = factor * *high;
  // Scales of 0 and below are another rule's findings.
  if (!(least > 0) || !std::isfinite(most)) return;
  if (least >= kLowest && most < 1) return;
  const bool below = least < kLowest;
  FindingDraft draft;
  draft.rule = &kInfo;
  draft.place.node = op.node;
  if (scales.weight->scales.size() > 1) {
    draft.place.index = (below ? low : high) - scales.weight->scales.begin();
  }
  draft.observed = absl::StrFormat("its sums are multiplied by %.7g", below ? least : most);
  draft.allowed = below || most >= kLimit ? "a multiplier from 2^-32 up to 256" : "a multiplier below 1";
  if (!below && most < kLimit) {
    draft.severity = v1::Finding::INFO;
    draft.effect = v1::Finding::ADVICE;
  }
  sink.Add(std::move(draft));
}

void Check(const CheckContext& context, FindingSink& sink) {
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (op.op != nullptr && (op.op->traits & kAccumulates) != 0) CheckOp(context, op, sink);
  }
}

}  // namespace

Rule RequantizationMultiplier() { return {&kInfo, &Check}; }

}  // namespace quantgate
