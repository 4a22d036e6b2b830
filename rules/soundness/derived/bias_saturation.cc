#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/elements.h"
#include "rules/graph/port_role.h"
#include "rules/soundness/bias.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kBiasSaturation = {
    "FX003",
    "bias-saturation",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kFromCalibrated,
    "{subject}: a bias value is {observed}; expected {allowed}",
    "A stored value at the very end of int32, also where int64 stores it, was cut off when the bias was quantized: its "
    "scale, input scale x weight scale where the operator accumulates, is too small for it, and the channel's outputs "
    "are shifted.",
    "Raise the scale of that channel's bias (where it follows from the weight's, a lower limit on those does it), or "
    "keep the bias in float.",
    "A bias of 2147483647 fires it; 2147483000 does not.",
};

// Quantizers clamp to the largest int32, or to the largest float32 below it (2^31 - 128), and to its negative.
constexpr int64_t kLargestSum = (int64_t{1} << 31) - 128;

// No further: where int64 stores it, so may a bias be.
bool AtLimit(double stored) { return std::fabs(stored) >= kLargestSum && std::fabs(stored) <= kLargestSum + 128; }

void CheckBias(const Graph& graph, const ResolvedOp& op, int argument, const Operand& bias, FindingSink& sink) {
  const v1::Constant& constant = graph.value(bias.value).constant();
  int64_t index = -1;
  int64_t stored = 0;
  const IntegerView integers = IntegersOf(graph.value(bias.value));
  for (size_t i = 0; i < integers.size() && index < 0; ++i) {
    if (AtLimit(static_cast<double>(integers[i]))) {
      index = static_cast<int64_t>(i);
      stored = integers[i];
    }
  }
  if (index < 0 && constant.has_statistics()) {
    const v1::Statistics& statistics = constant.statistics();
    if (AtLimit(statistics.max())) {
      index = statistics.max_index();
      stored = static_cast<int64_t>(statistics.max());
    } else if (AtLimit(statistics.min())) {
      index = statistics.min_index();
      stored = static_cast<int64_t>(statistics.min());
    }
  }
  if (index < 0) return;
  Place place;
  place.node = op.node;
  place.input = argument;
  place.value = bias.value;
  place.index = index;
  sink.Add(kBiasSaturation, place, absl::StrCat(stored, ", at the limit of int32"),
           bias.type == v1::DATA_TYPE_INT32 ? absl::StrCat("less than ", kLargestSum, " in magnitude")
                                            : "a number that was not cut off at 32 bits");
}

// Of convolutions and products as of normalizations, and whether they compute in integers or not: the value is lost.
void CheckBiasSaturation(const CheckContext& context, FindingSink& sink) {
  const ResolvedGraph& resolved = context.resolved();
  for (const ResolvedOp& op : resolved.ops()) {
    for (const Operand& operand : resolved.inputs(op)) {
      if (RoleOf(op, operand) != PortRole::kBias) continue;
      const Operand* bias = StoredOperand(context, operand);
      if (bias == nullptr || !bias->quantized) continue;
      if (bias->type != v1::DATA_TYPE_INT32 && bias->type != v1::DATA_TYPE_INT64) continue;
      if (bias->value < 0 || !context.graph().is_constant(bias->value)) continue;
      if (resolved.qparams(*bias) != nullptr) CheckBias(context.graph(), op, operand.argument, *bias, sink);
    }
  }
}

}  // namespace

Rule BiasSaturation() { return {&kBiasSaturation, &CheckBiasSaturation}; }

}  // namespace quantgate
