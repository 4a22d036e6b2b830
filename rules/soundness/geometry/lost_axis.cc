#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/graph/qscheme.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kLostAxis = {
    "AX012",
    "lost-axis",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "torchao hands ch_axis on to observers whose class has PerChannel in its name, and to no other: a fake quantizer "
    "makes its observer without, and that takes axis 0. Training and the converted model have their scales along axis "
    "0, which of a transposed convolution are the inputs. XNNPACK's and QNN's configurations for training state axis 1 "
    "there.",
    "Quantize the weight per tensor, or name an observer by itself and train without.",
    "per_channel_symmetric along axis 1 with FusedMovingAvgObsFakeQuantize(MovingAveragePerChannelMinMaxObserver) "
    "fires it; along axis 0, or with PerChannelMinMaxObserver, it does not.",
};

bool LosesAxis(const v1::Spec& spec, const ObserverName& name) {
  return spec.kind() == v1::Spec::PLAIN && IsPerChannel(spec.qscheme()) && spec.has_axis() && spec.axis() != 0 &&
         !name.is_foreign && !name.fake_quantizer.empty() && !absl::StrContains(name.fake_quantizer, "PerChannel") &&
         RangesOf(name.observer) == Ranges::kPerChannel;
}

void CheckLostAxis(const CheckContext& context, FindingSink& sink) {
  if (context.stage() != v1::STAGE_ANNOTATED || !IsAnnotation(context)) return;  // later the scales tell
  const Graph& graph = context.graph();
  ForEachObserver(context, LosesAxis, [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
    const int rank = graph.rank(at.value);
    if (spec.axis() < 0 && (rank < 0 || spec.axis() + rank == 0)) return;
    FindingDraft draft;
    draft.rule = &kLostAxis;
    draft.place = at.place;
    draft.observed = absl::StrCat("its spec states axis ", spec.axis(), ", which ", name.fake_quantizer,
                                  " does not hand on to ", name.observer, ": the scales are along axis 0");
    draft.allowed = "axis 0, or an observer without a fake quantizer around it";
    sink.Add(std::move(draft));
  });
}

}  // namespace

Rule LostAxis() { return {&kLostAxis, &CheckLostAxis}; }

}  // namespace quantgate
