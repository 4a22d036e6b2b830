#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kObserverScheme = {
    "QS004",
    "observer-scheme",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "torchao's observers keep either one range or a range per channel, and raise a NotImplementedError when "
    "prepare_pt2e makes them for a scheme of the other kind, or for none: a spec's qscheme is None where it is left "
    "out, and takes the place of the observer's own.",
    "State a qscheme of the observer's kind, or another observer: PerChannelMinMaxObserver for a scale per channel.",
    "per_channel_symmetric with a MinMaxObserver fires it, as does a qscheme that is left out; with a "
    "PerChannelMinMaxObserver it does not.",
};

bool IsPerTensor(const v1::Spec& spec) {
  return spec.qscheme() == v1::Spec::PER_TENSOR_AFFINE || spec.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC;
}

bool IsRefused(const v1::Spec& spec, const ObserverName& name) {
  switch (name.is_foreign ? Ranges::kUnknown : RangesOf(name.observer)) {
    case Ranges::kOne:
      return !IsPerTensor(spec);
    case Ranges::kPerChannel:
      return !IsPerChannel(spec);
    case Ranges::kUnknown:
      return false;
  }
  return false;
}

absl::string_view SchemeOf(const v1::Spec& spec) {
  return IsPerChannel(spec) ? "per channel" : IsPerTensor(spec) ? "per tensor" : "of no scheme";
}

void CheckObserverScheme(const CheckContext& context, FindingSink& sink) {
  if (context.stage() != v1::STAGE_ANNOTATED) return;  // it has its observers already
  ForEachObserver(context, IsRefused, [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
    sink.Add(kObserverScheme, at.place,
             absl::StrCat("its spec is ", SchemeOf(spec), ", for which prepare_pt2e makes no ", name.observer),
             RangesOf(name.observer) == Ranges::kOne ? "a per-tensor scheme, or an observer of channels"
                                                     : "a per-channel scheme, or an observer of one range");
  });
}

}  // namespace

Rule ObserverScheme() { return {&kObserverScheme, &CheckObserverScheme}; }

}  // namespace quantgate
