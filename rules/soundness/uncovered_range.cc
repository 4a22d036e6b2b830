#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/prescribed.h"
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

void CheckUncoveredRange(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto wanted = [&](const v1::Spec& spec) { return IsPrescribed(context, spec); };
  ForEachAnnotated(context, wanted, [&](const AnnotatedPlace& at) {
    if (at.place.input >= 0 || at.place.node < 0) return;
    const Interval fills = Fills(graph.op(at.place.node));
    const v1::Spec& spec = graph.message().specs(at.spec);
    const std::optional<Held> holds = HeldBy(spec);
    if (fills.low == fills.high || !holds) return;
    // The last step at either end is the price of a power of two for a scale.
    const double slack = 1.5 * holds->step;
    if (holds->low <= fills.low + slack && holds->high >= fills.high - slack) return;
    const double zero_point = spec.qparams().zero_points().empty() ? 0 : spec.qparams().zero_points(0);
    sink.Add(kUncoveredRange, at.place,
             absl::StrCat("scale ", FormatNumber(holds->step), " and zero point ", FormatNumber(zero_point), " hold ",
                          FormatNumber(holds->low), "..", FormatNumber(holds->high)),
             absl::StrCat(FormatNumber(fills.low), "..", FormatNumber(fills.high), ", what the operator fills"));
  });
}

}  // namespace

Rule UncoveredRange() { return {&kUncoveredRange, &CheckUncoveredRange}; }

}  // namespace quantgate
