#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/graph/qscheme.h"
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
    "out, and takes the place of the observer's own. A fixed spec has one scale, and its observer no axis for "
    "convert_pt2e to ask for; per channel, that raises an AttributeError.",
    "State a qscheme of the observer's kind, or another observer: PerChannelMinMaxObserver for a scale per channel.",
    "per_channel_symmetric with a MinMaxObserver fires it, as does a qscheme that is left out, and a fixed spec per "
    "channel; with a PerChannelMinMaxObserver it does not.",
};

bool IsPerTensor(const v1::Spec& spec) {
  return spec.qscheme() == v1::Spec::PER_TENSOR_AFFINE || spec.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC;
}

bool IsRefusedWhenConverted(const v1::Spec& spec, const ObserverName& name) {
  return HasFixedNumbers(name.observer) && IsPerChannel(spec.qscheme());
}

bool IsRefusedWhenPrepared(const v1::Spec& spec, const ObserverName& name) {
  switch (name.is_foreign ? Ranges::kUnknown : RangesOf(name.observer)) {
    case Ranges::kOne:
      return !IsPerTensor(spec);
    case Ranges::kPerChannel:
      return !IsPerChannel(spec.qscheme());
    case Ranges::kUnknown:
      return false;
  }
  return false;
}

absl::string_view SchemeOf(const v1::Spec& spec) {
  return IsPerChannel(spec.qscheme()) ? "per channel" : IsPerTensor(spec) ? "per tensor" : "of no scheme";
}

void CheckObserverScheme(const CheckContext& context, FindingSink& sink) {
  const bool is_prepared = context.stage() != v1::STAGE_ANNOTATED;  // it has its observers already
  const auto is_refused = [is_prepared](const v1::Spec& spec, const ObserverName& name) {
    return IsRefusedWhenConverted(spec, name) || (!is_prepared && IsRefusedWhenPrepared(spec, name));
  };
  ForEachObserver(context, is_refused, [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
    if (IsRefusedWhenConverted(spec, name)) {
      sink.Add(kObserverScheme, at.place, "its scale is prescribed per channel, for which convert_pt2e finds no axis",
               "a per-tensor scheme");
      return;
    }
    sink.Add(kObserverScheme, at.place,
             absl::StrCat("its spec is ", SchemeOf(spec), ", for which prepare_pt2e makes no ", name.observer),
             RangesOf(name.observer) == Ranges::kOne ? "a per-tensor scheme, or an observer of channels"
                                                     : "a per-channel scheme, or an observer of one range");
  });
}

}  // namespace

Rule ObserverScheme() { return {&kObserverScheme, &CheckObserverScheme}; }

}  // namespace quantgate
