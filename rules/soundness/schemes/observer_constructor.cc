#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kObserverConstructor = {
    "QS006",
    "observer-constructor",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "prepare_pt2e makes an observer for each sharing group, with the numbers of its spec: it needs a class of "
    "torchao's, as it is or with one with_args, and raises on an observer that is made already, on a function and on "
    "with_args of with_args. Of its own, those that only record, let through or mark take no numbers, and "
    "FixedQParamsFakeQuantize is for fixed specs in training; and a setting that the class does not take, such as "
    "ch_axis for an observer of whole tensors, is refused by it. A class of torch.ao it takes, and convert_pt2e then "
    "does not know it: the observer stays in the graph and nothing is quantized there.",
    "Give the class itself, from torchao.quantization.pt2e: MinMaxObserver or MinMaxObserver.with_args(eps=...).",
    "MinMaxObserver(dtype=torch.int8) fires it, as do torch.ao's MinMaxObserver and torchao's NoopObserver; torchao's "
    "MinMaxObserver does not.",
};

bool IsRefused(const v1::Spec& spec, const ObserverName& name) {
  return spec.kind() == v1::Spec::PLAIN &&
         (name.is_object || name.is_foreign || !name.refused_setting.empty() || TakesNoSpec(name));
}

std::string ConstructorFault(absl::string_view made, const ObserverName& name) {
  if (name.is_object) {
    return absl::StrCat("its spec has a ", made, " for a constructor, of which prepare_pt2e makes nothing");
  }
  if (name.is_foreign) return absl::StrCat("its spec has ", made, ", which convert_pt2e leaves where it is");
  if (!name.refused_setting.empty()) {
    return absl::StrCat("its spec's constructor gives ", name.refused_setting, " to ", name.observer,
                        ", which takes none and raises");
  }
  return absl::StrCat("its spec has ", made, ", which takes no numbers of a spec");
}

void CheckObserverConstructor(const CheckContext& context, FindingSink& sink) {
  ForEachObserver(context, IsRefused, [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
    sink.Add(kObserverConstructor, at.place, ConstructorFault(context.graph().symbol(spec.observer()), name),
             "a class of torchao.quantization.pt2e that observes");
  });
}

}  // namespace

Rule ObserverConstructor() { return {&kObserverConstructor, &CheckObserverConstructor}; }

}  // namespace quantgate
