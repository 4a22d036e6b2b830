#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/graph/qscheme.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnstatedAxis = {
    "AX006",
    "unstated-axis",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A per-channel scheme without an axis leaves it to the observer. torchao's raise a TypeError at the first batch, "
    "and prepare_pt2e raises where the spec is derived; its fake quantizers take 0, which is the output channel of "
    "convolutions and linear layers by luck, and the input "
    "channel of transposed convolutions; other tools read the spec and find no axis.",
    "State ch_axis: 0 for the weight of a convolution or linear layer, 1 for that of a transposed convolution.",
    "per_channel_symmetric without ch_axis fires it; with ch_axis 0 it does not.",
};

bool LeavesAxisOut(const v1::Spec& spec) {
  const bool may_have_one = spec.kind() == v1::Spec::PLAIN || spec.kind() == v1::Spec::DERIVED;
  return may_have_one && IsPerChannel(spec.qscheme()) && !spec.has_axis() && spec.block_size().empty();
}

// What raises, as far as the graph tells; empty: nothing that is known.
absl::string_view RaisesWithoutAxis(const Graph& graph, const v1::Spec& spec) {
  if (!LeavesAxisOut(spec)) return "";
  if (spec.kind() == v1::Spec::DERIVED)
    return "its derived spec is per channel and states no axis: prepare_pt2e raises";
  const ObserverName name = ParseObserver(graph.symbol(spec.observer()));
  const bool known = !name.is_foreign && name.fake_quantizer.empty() && RangesOf(name.observer) == Ranges::kPerChannel;
  return known ? "its per-channel spec states no axis: the observer raises at the first batch" : "";
}

void CheckUnstatedAxis(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  ForEachAnnotated(context, LeavesAxisOut, [&](const AnnotatedPlace& at) {
    const bool transposed = at.place.input >= 0 && graph.op(at.place.node) == OpId::kConvTranspose;
    const auto raises_of = [&graph](int32_t spec) { return RaisesWithoutAxis(graph, graph.message().specs(spec)); };
    absl::string_view raises = raises_of(at.spec);
    // Another member of its group may make the observer of all.
    const auto any = [&raises_of](int32_t leader) { return !raises_of(leader).empty(); };
    if (!raises.empty() && !MakesTheObserver(context, at, any)) raises = "";
    FindingDraft draft;
    draft.rule = &kUnstatedAxis;
    draft.place = at.place;
    draft.observed = !raises.empty() ? std::string(raises)
                                     : "its per-channel spec states no axis: an observer raises at the first batch, a "
                                       "fake quantizer takes 0";
    draft.allowed = transposed ? "ch_axis 1, the output channels of a transposed convolution" : "a ch_axis";
    if (!raises.empty()) {
      draft.effect = v1::Finding::UNSOUND;
      draft.severity = v1::Finding::ERROR;
    } else if (transposed) {
      draft.effect = v1::Finding::WRONG_NUMBERS;
      draft.severity = v1::Finding::ERROR;
    }
    sink.Add(std::move(draft));
  });
}

}  // namespace

Rule UnstatedAxis() { return {&kUnstatedAxis, &CheckUnstatedAxis}; }

}  // namespace quantgate
