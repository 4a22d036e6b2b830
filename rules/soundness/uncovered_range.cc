#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUncoveredRange = {
    "FX006",
    "uncovered-range",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Sigmoid, softmax and tanh fill a known range, so their output parameters can be prescribed. Prescribed "
    "ones that leave part of it out cut off everything there: an int8 sigmoid with scale 1/256 and zero point 0 "
    "ends at 0.496, half of its range.",
    "Use the parameters of the type: scale 1/256 and zero point -128 for an int8 sigmoid, 0 for a uint8 one.",
    "sigmoid to int8 with scale 1/256, zero point 0 fires it; with zero point -128 it does not.",
};

struct Interval {
  double low = 0;
  double high = 0;
};

// What the operator's output fills, whatever its input; low == high: nothing of the kind.
Interval Fills(OpId op) {
  switch (op) {
    case OpId::kSigmoid:
    case OpId::kHardSigmoid:
    case OpId::kSoftmax:
      return {0, 1};
    case OpId::kTanh:
      return {-1, 1};
    default:
      return {};
  }
}

// By the spec or its observer, not by what calibration saw: a model may stay within a part of the range.
bool Prescribes(const CheckContext& context, const v1::Spec& spec) {
  if (spec.qparams().scales_size() != 1) return false;
  if (spec.kind() != v1::Spec::PLAIN) return spec.kind() == v1::Spec::FIXED;
  return context.stage() == v1::STAGE_ANNOTATED || HasFixedNumbers(context.graph().symbol(spec.observer()));
}

void CheckUncoveredRange(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto wanted = [&](const v1::Spec& spec) { return Prescribes(context, spec); };
  ForEachAnnotated(context, wanted, [&](const AnnotatedPlace& at) {
    if (at.place.input >= 0 || at.place.node < 0) return;
    const Interval fills = Fills(graph.op(at.place.node));
    const v1::Spec& spec = graph.message().specs(at.spec);
    if (fills.low == fills.high || !IsInteger(spec.dtype())) return;
    const double scale = spec.qparams().scales(0);
    const double zero_point = spec.qparams().zero_points().empty() ? 0 : spec.qparams().zero_points(0);
    const int64_t quant_min = spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype());
    const int64_t quant_max = spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype());
    const Interval holds = {scale * (static_cast<double>(quant_min) - zero_point),
                            scale * (static_cast<double>(quant_max) - zero_point)};
    // The last step at either end is the price of a power of two for a scale.
    if (!(scale > 0) || (holds.low <= fills.low + 1.5 * scale && holds.high >= fills.high - 1.5 * scale)) return;
    sink.Add(kUncoveredRange, at.place,
             absl::StrCat("scale ", FormatNumber(scale), " and zero point ", FormatNumber(zero_point), " hold ",
                          FormatNumber(holds.low), "..", FormatNumber(holds.high)),
             absl::StrCat(FormatNumber(fills.low), "..", FormatNumber(fills.high), ", what the operator fills"));
  });
}

}  // namespace

Rule UncoveredRange() { return {&kUncoveredRange, &CheckUncoveredRange}; }

}  // namespace quantgate
