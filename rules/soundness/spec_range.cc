#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "DT004",
    "spec-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Stored values beyond the type do not exist: they wrap or are cut off, and the zero point that the range "
    "asks for may not be stored either.",
    "Use a type that holds the range, or a range that the type holds.",
    "A spec of int8 with 0..255 fires it; uint8 with 0..255, or int32 with 0..65535, does not.",
};

int64_t Low(const v1::Spec& spec) { return spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype()); }
int64_t High(const v1::Spec& spec) { return spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype()); }

bool OutsideOfType(const v1::Spec& spec) {
  return IsInteger(spec.dtype()) &&
         (Low(spec) < MinOf(spec.dtype()) || High(spec) > MaxOf(spec.dtype()) || Low(spec) >= High(spec));
}

void Check(const CheckContext& context, FindingSink& sink) {
  ForEachAnnotated(context, OutsideOfType, [&](const AnnotatedPlace& at) {
    const v1::Spec& spec = context.graph().message().specs(at.spec);
    sink.Add(kInfo, at.place,
             absl::StrCat("its spec asks for ", Low(spec), "..", High(spec), " in ", DataTypeName(spec.dtype())),
             absl::StrCat("a range within ", MinOf(spec.dtype()), "..", MaxOf(spec.dtype())));
  });
}

}  // namespace

Rule SpecRange() { return {&kInfo, &Check}; }

}  // namespace quantgate
