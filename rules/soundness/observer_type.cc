#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "DT005",
    "observer-type",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "torchao's observers assert that they know the element type when prepare_pt2e makes them. Numbers of fewer than "
    "eight bits are said by a range of quant_min and quant_max in int8 or uint8, not by a type of their own.",
    "State int8 or uint8, with the range of the narrower type if that was meant.",
    "int4 with a MinMaxObserver fires it; int8 in -8..7 does not, nor does int4 with a class that is not torchao's.",
};

bool IsRefused(const v1::Spec& spec) {
  return spec.kind() == v1::Spec::PLAIN && spec.dtype() != v1::DATA_TYPE_UNSPECIFIED && !IsObservable(spec.dtype());
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  ForEachAnnotated(context, IsRefused, [&](const AnnotatedPlace& at) {
    const v1::Spec& spec = graph.message().specs(at.spec);
    const absl::string_view observer = graph.symbol(spec.observer());
    if (!AssertsType(observer)) return;
    sink.Add(kInfo, at.place,
             absl::StrCat("its spec is of ", DataTypeName(spec.dtype()), ", which ", observer, " does not take"),
             "int8, uint8, int16, uint16 or int32, with the range that is meant");
  });
}

}  // namespace

Rule ObserverType() { return {&kInfo, &Check}; }

}  // namespace quantgate
