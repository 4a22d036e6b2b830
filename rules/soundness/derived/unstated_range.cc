#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnstatedRange = {
    "FX008",
    "unstated-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "An observer fills a missing range in from the element type; a fixed or derived spec has none that does, nor do a "
    "FixedQParamsObserver and a PlaceholderObserver. convert_pt2e writes None into the Quantize and Dequantize nodes, "
    "which raise when the module runs, those of constants at once.",
    "State quant_min and quant_max.",
    "FixedQParamsQuantizationSpec(torch.int8, 0.1, 0) fires it, as does a dynamic int8 spec without a range; with "
    "quant_min=-128 and quant_max=127 they do not.",
};

// Nobody fills the range in. Within a fake quantizer a FixedQParamsObserver is left its own.
bool IsUnstated(const v1::Spec& spec, const ObserverName& name) {
  const bool fixed = HasFixedNumbers(name.observer) && name.fake_quantizer.empty();
  const bool fills_in =
      !fixed && name.observer != kDerivedObserver && !(KeepsNoRange(name.observer) && spec.is_dynamic());
  return !fills_in && IsInteger(spec.dtype()) && !(spec.has_quant_min() && spec.has_quant_max());
}

const char* KindOf(const v1::Spec& spec, const ObserverName& name) {
  return spec.kind() == v1::Spec::DERIVED ? "derived" : HasFixedNumbers(name.observer) ? "fixed" : "dynamic";
}

void CheckUnstatedRange(const CheckContext& context, FindingSink& sink) {
  ForEachObserver(context, IsUnstated, [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
    sink.Add(kUnstatedRange, at.place,
             absl::StrCat("its ", KindOf(spec, name), " spec of ", DataTypeName(spec.dtype()), " has no ",
                          spec.has_quant_min()   ? "quant_max"
                          : spec.has_quant_max() ? "quant_min"
                                                 : "quant_min and no quant_max"),
             "a range");
  });
}

}  // namespace

Rule UnstatedRange() { return {&kUnstatedRange, &CheckUnstatedRange}; }

}  // namespace quantgate
