// Places of a PT2E annotation, for rules about what a quantizer wrote rather than what it comes to.
#ifndef QUANTGATE_RULES_SOUNDNESS_ANNOTATED_H_
#define QUANTGATE_RULES_SOUNDNESS_ANNOTATED_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/graph/sharing/sharing.h"

namespace quantgate {

// One edge or value that carries a spec.
struct AnnotatedPlace {
  Place place;
  int32_t value = -1;  // the tensor that the spec is for
  int32_t spec = -1;   // id into message().specs()
};

// Where a spec sits, as findings say it.
Place PlaceOf(const Graph& graph, SpecPlace at);

// The sharing groups, computed for the first rule that asks.
const SharingGroups& GroupsOf(const CheckContext& context);

// Calls `visit` for every place that has one of the specs that `wanted` picks: value by value, the value itself and
// then its edges. `wanted` is asked of one spec of those that say the same (Graph::spec_like), so not about what they
// refer to nor about observers; where it picks none the graph is not walked. Linear.
void ForEachAnnotated(const CheckContext& context, absl::FunctionRef<bool(const v1::Spec&)> wanted,
                      absl::FunctionRef<void(const AnnotatedPlace&)> visit);
// The same, of those values alone that `of` picks; it is asked of one value of each type and shape.
void ForEachAnnotated(const CheckContext& context, absl::FunctionRef<bool(int32_t value)> of,
                      absl::FunctionRef<bool(const v1::Spec&)> wanted,
                      absl::FunctionRef<void(const AnnotatedPlace&)> visit);

// Calls `visit` for every place whose observer prepare_pt2e would make of a spec of its own that `refused` picks: in a
// sharing group the first member makes that of all. A plain spec names its observer; for fixed and derived ones there
// is kFixedObserver and kDerivedObserver. `refused` is asked of one spec of those that say the same (Graph::spec_like)
// and name one observer; where it picks none the graph is not walked.
void ForEachObserver(const CheckContext& context, absl::FunctionRef<bool(const v1::Spec&, const ObserverName&)> refused,
                     absl::FunctionRef<void(const AnnotatedPlace&, const v1::Spec&, const ObserverName&)> visit);

// Whether prepare_pt2e makes the observer of the place's sharing group of a spec that `picked` has, by spec.
bool MakesTheObserver(const CheckContext& context, const AnnotatedPlace& at, absl::FunctionRef<bool(int32_t)> picked);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_ANNOTATED_H_
