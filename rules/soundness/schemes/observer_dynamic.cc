#include <string>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/graph/qscheme.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kObserverDynamic = {
    "QS005",
    "observer-dynamic",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "What finds its numbers at run time has one range and no observer that remembers any. Those that do raise when "
    "prepare_pt2e makes them for is_dynamic, but for MinMaxObserver: its eps is a tensor, and the module that "
    "convert_pt2e writes it into neither runs nor exports. The other way around a PlaceholderObserver has nothing to "
    "tell convert_pt2e where is_dynamic is not stated, and convert_pt2e knows int8 and uint8 alone at run time. A fake "
    "quantizer asks it for numbers at the first batch, and raises. What is prescribed or derived is no range at all.",
    "Put a PlaceholderObserver with is_dynamic=True, alone in training too, and an observer of the range without it.",
    "is_dynamic=True with a HistogramObserver or in a fixed spec fires it, as does int8 with a PlaceholderObserver "
    "alone; both together do not, nor does a FakeQuantize around a MinMaxObserver.",
};

bool IsByte(v1::DataType type) { return type == v1::DATA_TYPE_INT8 || type == v1::DATA_TYPE_UINT8; }

// What is wrong; empty: nothing. A fake quantizer around a MovingAverageMinMaxObserver is dynamic if its
// averaging_constant is 1, which a graph does not tell.
std::string Fault(const v1::Spec& spec, const ObserverName& name) {
  if (name.is_foreign || name.is_object) return "";
  const bool placeholder = KeepsNoRange(name.observer);
  if (placeholder && !name.fake_quantizer.empty()) {
    return absl::StrCat("a ", name.fake_quantizer, " asks its ", name.observer, " for numbers at the first batch");
  }
  if (!spec.is_dynamic()) {
    if (!placeholder || !IsObservable(spec.dtype())) return "";
    return absl::StrCat(name.observer, " has no ", DataTypeName(spec.dtype()),
                        " numbers when convert_pt2e asks for them");
  }
  if (name.observer == kDerivedObserver) return "is_dynamic and derived, of which convert_pt2e makes nothing";
  const bool averages = name.observer == "MovingAverageMinMaxObserver";
  if (name.observer == "HistogramObserver" || HasFixedNumbers(name.observer) ||
      RangesOf(name.observer) == Ranges::kPerChannel || (averages && name.fake_quantizer.empty())) {
    return absl::StrCat("is_dynamic, for which prepare_pt2e makes no ", name.observer);
  }
  if (!placeholder && !averages && name.observer != "MinMaxObserver") return "";
  if (!IsByte(spec.dtype()) && v1::DataType_IsValid(spec.dtype())) {
    return absl::StrCat("is_dynamic in ", DataTypeName(spec.dtype()), ", which convert_pt2e does not take");
  }
  if (placeholder && IsPerChannel(spec.qscheme()))
    return "is_dynamic per channel, for which convert_pt2e knows no operator";
  if (name.observer == "MinMaxObserver" && name.fake_quantizer.empty()) {
    return "is_dynamic with a MinMaxObserver, whose eps no converted module can be run with";
  }
  return "";
}

const char* Allowed(const v1::Spec& spec, const ObserverName& name) {
  if (KeepsNoRange(name.observer) && !name.fake_quantizer.empty()) return "a PlaceholderObserver alone";
  if (!spec.is_dynamic()) return "is_dynamic=True, or an observer of the range";
  return KeepsNoRange(name.observer) ? "int8 or uint8 per tensor" : "a PlaceholderObserver, or no is_dynamic";
}

void CheckObserverDynamic(const CheckContext& context, FindingSink& sink) {
  const auto is_refused = [](const v1::Spec& spec, const ObserverName& name) { return !Fault(spec, name).empty(); };
  ForEachObserver(context, is_refused, [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
    sink.Add(kObserverDynamic, at.place, Fault(spec, name), Allowed(spec, name));
  });
}

}  // namespace

Rule ObserverDynamic() { return {&kObserverDynamic, &CheckObserverDynamic}; }

}  // namespace quantgate
