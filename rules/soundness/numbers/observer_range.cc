#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kObserverRange = {
    "NR011",
    "observer-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "torchao's observers assert that 0 is in the range that a spec states, when prepare_pt2e makes them; the numbers "
    "of a dynamic spec are chosen by an operator that asserts it when the module runs.",
    "State a range with 0 in it; the zero point moves the numbers, not the range.",
    "int8 in 5..100 with a MinMaxObserver fires it; in 0..100 it does not, nor does it in a fixed spec.",
};

bool LeavesZeroOut(const v1::Spec& spec, const ObserverName& name) {
  if (!spec.has_quant_min() || !spec.has_quant_max() || name.is_foreign) return false;
  return (spec.quant_min() > 0 || spec.quant_max() < 0) && (AssertsType(name.observer) || spec.is_dynamic());
}

void CheckObserverRange(const CheckContext& context, FindingSink& sink) {
  ForEachObserver(context, LeavesZeroOut,
                  [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
                    sink.Add(kObserverRange, at.place,
                             absl::StrCat("its range is ", spec.quant_min(), "..", spec.quant_max(), ", of which ",
                                          name.observer, " makes nothing"),
                             "a range with 0 in it");
                  });
}

}  // namespace

Rule ObserverRange() { return {&kObserverRange, &CheckObserverRange}; }

}  // namespace quantgate
