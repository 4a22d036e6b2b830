#include "absl/strings/str_cat.h"
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
    "with_args of with_args. A class of torch.ao it takes, and convert_pt2e then does not know it: the observer stays "
    "in the graph and nothing is quantized there.",
    "Give the class itself, from torchao.quantization.pt2e: MinMaxObserver or MinMaxObserver.with_args(eps=...).",
    "MinMaxObserver(dtype=torch.int8) fires it, as does torch.ao's MinMaxObserver; torchao's class does not.",
};

void CheckObserverConstructor(const CheckContext& context, FindingSink& sink) {
  const auto is_refused = [](const v1::Spec&, const ObserverName& name) { return name.is_object || name.is_foreign; };
  ForEachObserver(context, is_refused, [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
    const absl::string_view made = context.graph().symbol(spec.observer());
    sink.Add(kObserverConstructor, at.place,
             name.is_object
                 ? absl::StrCat("its spec has a ", made, " for a constructor, of which prepare_pt2e makes nothing")
                 : absl::StrCat("its spec has ", made, ", which convert_pt2e leaves where it is"),
             "a class of torchao.quantization.pt2e");
  });
}

}  // namespace

Rule ObserverConstructor() { return {&kObserverConstructor, &CheckObserverConstructor}; }

}  // namespace quantgate
