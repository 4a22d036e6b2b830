#include "rules/engine/context.h"
#include "rules/engine/finding.h"
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
    "A per-channel scheme without an axis leaves it to the observer. torchao's raise a TypeError at the first batch; "
    "its fake quantizers take 0, which is the output channel of convolutions and linear layers by luck, and the input "
    "channel of transposed convolutions; other tools read the spec and find no axis.",
    "State ch_axis: 0 for the weight of a convolution or linear layer, 1 for that of a transposed convolution.",
    "per_channel_symmetric without ch_axis fires it; with ch_axis 0 it does not.",
};

bool LeavesAxisOut(const v1::Spec& spec) {
  return spec.kind() == v1::Spec::PLAIN && IsPerChannel(spec) && !spec.has_axis() && spec.block_size().empty();
}

void CheckUnstatedAxis(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  ForEachAnnotated(context, LeavesAxisOut, [&](const AnnotatedPlace& at) {
    FindingDraft draft;
    draft.rule = &kUnstatedAxis;
    draft.place = at.place;
    draft.observed =
        "its per-channel spec states no axis: an observer raises at the first batch, a fake quantizer takes 0";
    draft.allowed = "a ch_axis";
    if (at.place.input >= 0 && graph.op(at.place.node) == OpId::kConvTranspose) {
      draft.effect = v1::Finding::WRONG_NUMBERS;
      draft.severity = v1::Finding::ERROR;
      draft.allowed = "ch_axis 1, the output channels of a transposed convolution";
    }
    sink.Add(std::move(draft));
  });
}

}  // namespace

Rule UnstatedAxis() { return {&kUnstatedAxis, &CheckUnstatedAxis}; }

}  // namespace quantgate
