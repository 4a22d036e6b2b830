#include <optional>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/prescribed.h"
#include "rules/soundness/rules.h"
#include "rules/values/bounds.h"

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

// The operator comes close to both ends of its range.
bool FillsItsRange(OpId op) {
  return op == OpId::kSigmoid || op == OpId::kHardSigmoid || op == OpId::kSoftmax || op == OpId::kTanh;
}

// The spec that the observer is made of: in a sharing group that of the leader, which overrules all others.
const v1::Spec& ObservedBy(const CheckContext& context, const AnnotatedPlace& at) {
  const SharingGroups& groups = GroupsOf(context);
  const int32_t group = groups.group_at({at.value, -1});
  return group < 0 ? context.graph().message().specs(at.spec) : groups.spec_of(group);
}

void CheckUncoveredRange(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto wanted = [&](const v1::Spec& spec) { return IsPrescribed(context, spec); };
  ForEachAnnotated(context, wanted, [&](const AnnotatedPlace& at) {
    if (at.place.input >= 0 || at.place.node < 0) return;
    const OpId op = graph.op(at.place.node);
    if (!FillsItsRange(op)) return;
    const v1::Spec& made = ObservedBy(context, at);
    const std::optional<Held> holds = wanted(made) ? HeldBy(made) : std::nullopt;
    if (!holds) return;
    const Bounds fills = OutputBounds(op);
    if (Covers(*holds, fills.low, fills.high)) return;
    sink.Add(kUncoveredRange, at.place,
             absl::StrCat("scale ", FormatNumber(holds->step), " and zero point ", FormatNumber(holds->zero_point),
                          " hold ", FormatNumber(holds->low), "..", FormatNumber(holds->high)),
             absl::StrCat(FormatNumber(fills.low), "..", FormatNumber(fills.high), ", what the operator fills"));
  });
}

}  // namespace

Rule UncoveredRange() { return {&kUncoveredRange, &CheckUncoveredRange}; }

}  // namespace quantgate
