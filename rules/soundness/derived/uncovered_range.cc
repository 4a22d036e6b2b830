#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/quantizer.h"
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
    "ends at 0.496, half of its range. Behind convert it is found where the range is just as wide as the operator's.",
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

void Report(const Held& holds, OpId op, const Place& place, FindingSink& sink) {
  const Bounds fills = OutputBounds(op);
  if (Covers(holds, fills.low, fills.high)) return;
  sink.Add(kUncoveredRange, place,
           absl::StrCat("scale ", FormatNumber(holds.step), " and zero point ", FormatNumber(holds.zero_point),
                        " hold ", FormatNumber(holds.low), "..", FormatNumber(holds.high)),
           absl::StrCat(FormatNumber(fills.low), "..", FormatNumber(fills.high), ", what the operator fills"));
}

void CheckAnnotated(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto wanted = [&](const v1::Spec& spec) { return IsPrescribed(context, spec); };
  ForEachAnnotated(context, wanted, [&](const AnnotatedPlace& at) {
    if (at.place.input >= 0 || at.place.node < 0) return;
    const OpId op = graph.op(at.place.node);
    if (!FillsItsRange(op)) return;
    const v1::Spec& made = ObservedBy(context, at);
    const std::optional<Held> holds = wanted(made) ? HeldBy(made) : std::nullopt;
    if (holds) Report(*holds, op, at.place, sink);
  });
}

// Behind convert nothing says who chose the numbers. No observer of PyTorch or ExecuTorch chooses a range that is just
// as wide as the operator's and lies elsewhere.
bool IsMisplaced(const Held& holds, const Bounds& fills) {
  constexpr double kRounding = 1e-6;
  const double width = fills.high - fills.low;
  return std::abs(holds.high + holds.step - holds.low - width) <= kRounding * width;
}

void CheckConverted(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t node : graph.quantizers()) {
    const Operand& written = *context.resolved().quantizer(node);
    const int32_t producer = IsQuantize(graph, node) && written.value >= 0 ? graph.producer(written.value) : -1;
    if (producer < 0 || !FillsItsRange(graph.op(producer))) continue;
    const QuantParams* params = context.resolved().qparams(written);
    if (params == nullptr || params->scales.size() != 1 || !(params->scales[0] > 0)) continue;
    const Held holds = HeldWith(params->scales[0], params->zero_point(0), written.quant_min, written.quant_max);
    if (!IsMisplaced(holds, OutputBounds(graph.op(producer)))) continue;
    Place place;
    place.node = producer;
    place.output = 0;
    place.value = written.value;
    Report(holds, graph.op(producer), place, sink);
  }
}

void CheckUncoveredRange(const CheckContext& context, FindingSink& sink) {
  if (context.graph().origin() != v1::Graph::PT2E) return;
  IsAnnotation(context) ? CheckAnnotated(context, sink) : CheckConverted(context, sink);
}

}  // namespace

Rule UncoveredRange() { return {&kUncoveredRange, &CheckUncoveredRange}; }

}  // namespace quantgate
