#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/graph/qscheme.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kObserverType = {
    "DT005",
    "observer-type",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "torchao's observers assert that they know the element type when prepare_pt2e makes them. Numbers of fewer than "
    "eight bits are said by a range of quant_min and quant_max in int8 or uint8, not by a type of their own. A "
    "PlaceholderObserver takes any type, as do those of fixed and derived specs, and convert_pt2e takes it away again "
    "where it has no operator for the type. A fake quantizer takes no range of float8, a HistogramObserver no float8 "
    "at all; of uint16 and float8 per channel torch cannot subtract the zero points.",
    "State int8 or uint8, with the range of the narrower type if that was meant.",
    "int4 with a MinMaxObserver or in a fixed spec fires it; int8 in -8..7 does not, nor does int4 with a class that "
    "is not torchao's.",
};

// A fake quantizer looks up the limits of a stated range among those of integers.
bool HasRangeOfFloat(const v1::Spec& spec, const ObserverName& name) {
  return IsSmallFloat(spec.dtype()) && !name.fake_quantizer.empty() && spec.has_quant_min() && spec.has_quant_max();
}

bool IsHistogramOfFloat(const v1::Spec& spec, const ObserverName& name) {
  return IsSmallFloat(spec.dtype()) && name.observer == "HistogramObserver";
}

// dequantize_per_channel subtracts the zero points, and torch promotes neither type: convert_pt2e raises where it folds
// a constant, the converted module elsewhere.
bool HasChannelsOfUnpromoted(const v1::Spec& spec) {
  const bool unpromoted = spec.dtype() == v1::DATA_TYPE_UINT16 || IsSmallFloat(spec.dtype());
  return unpromoted && IsPerChannel(spec.qscheme()) && spec.block_size().empty() && !spec.is_dynamic();
}

bool IsRefusedType(const v1::Spec& spec, const ObserverName& name) {
  if (HasRangeOfFloat(spec, name) || IsHistogramOfFloat(spec, name) || HasChannelsOfUnpromoted(spec)) {
    return !name.is_foreign;
  }
  if (spec.dtype() == v1::DATA_TYPE_UNSPECIFIED || IsObservable(spec.dtype()) || name.is_foreign) return false;
  return AssertsType(name.observer) || (TakesAnyType(name.observer) && !spec.is_dynamic() && IsInteger(spec.dtype()));
}

void CheckObserverType(const CheckContext& context, FindingSink& sink) {
  ForEachObserver(
      context, IsRefusedType, [&](const AnnotatedPlace& at, const v1::Spec& spec, const ObserverName& name) {
        FindingDraft draft;
        draft.rule = &kObserverType;
        draft.place = at.place;
        draft.allowed = "int8, uint8, int16, uint16 or int32, with the range that is meant";
        const absl::string_view type = DataTypeName(spec.dtype());
        if (!v1::DataType_IsValid(spec.dtype())) {
          draft.observed =
              absl::StrCat("its spec is of a type of which ", name.observer, " and convert_pt2e make nothing");
        } else if (HasRangeOfFloat(spec, name)) {
          draft.observed =
              absl::StrCat("its spec is of ", type, " and states a range, for which ", name.fake_quantizer, " raises");
        } else if (HasChannelsOfUnpromoted(spec)) {
          draft.observed = absl::StrCat("its spec is of ", type, " per channel, which torch does not dequantize");
        } else if (AssertsType(name.observer)) {
          draft.observed = absl::StrCat("its spec is of ", type, ", which ", name.observer, " does not take");
        } else {
          draft.observed = absl::StrCat("its spec is of ", type, ", which convert_pt2e leaves in float without a word");
          draft.effect = v1::Finding::FALLBACK;
          draft.severity = v1::Finding::WARNING;
        }
        sink.Add(std::move(draft));
      });
}

}  // namespace

Rule ObserverType() { return {&kObserverType, &CheckObserverType}; }

}  // namespace quantgate
