#include <cmath>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/graph/sharing/sharing.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"
#include "rules/values/largest_number.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfiniteNumber = {
    "NR009",
    "infinite-number",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Observers that keep the smallest and the largest number make a scale of them. Of a tensor with an infinity in it "
    "the scale is infinite or no number: convert_pt2e raises an error, or nothing is left of the tensor.",
    "Mask and pad with a finite number just below all others, or leave the tensor float. HistogramObserver looks at "
    "finite numbers alone, and what is infinite becomes the end of their range.",
    "pad with -inf, observed by MinMaxObserver, fires it; with -8, or observed by HistogramObserver, it does not. "
    "Where the input decides whether anything is masked, or a part of a mask is taken, it is a warning.",
};

void CheckInfiniteNumber(const CheckContext& context, FindingSink& sink) {
  if (context.stage() != v1::STAGE_ANNOTATED || !IsAnnotation(context)) return;  // later the scale tells
  const Graph& graph = context.graph();
  if (absl::c_none_of(graph.message().symbols(), KeepsEnds) || !context.Once(HasInfinity)) return;
  const SharingGroups& groups = GroupsOf(context);
  const LargestNumbers& largest = context.Once(LargestNumbersOf);
  std::vector<bool> said(graph.num_values(), false);
  std::vector<bool> reads_it(graph.num_nodes(), false);  // and what it computes of it has it too
  for (size_t entry = 0; entry < groups.group_of.size(); ++entry) {
    const SpecPlace place = groups.annotations.place(static_cast<int>(entry));
    const v1::Spec& spec = groups.spec_of(groups.group_of[entry]);
    if (place.value < 0 || groups.annotations.is_stray(static_cast<int>(entry))) continue;
    if (said[place.value] || !MakesScaleOfEnds(spec, graph.symbol(spec.observer()))) continue;
    const LargestNumber& number = largest.In(place.value);
    if (!std::isinf(number.size)) continue;
    said[place.value] = true;
    for (const Use& use : graph.uses(place.value)) reads_it[use.node] = true;
    const int32_t producer = graph.producer(place.value);
    if (producer >= 0 && reads_it[producer]) continue;
    FindingDraft draft;
    draft.rule = &kInfiniteNumber;
    draft.place = PlaceOf(graph, place);
    draft.observed = absl::StrCat(number.surely ? "has" : "may have", " an infinity in it, of which ",
                                  ParseObserver(graph.symbol(spec.observer())).observer, " makes its range");
    draft.allowed = "finite numbers";
    // Whether it is there depends on what is masked, or on what is left of a mask.
    if (!number.surely) {
      draft.effect = v1::Finding::PRECISION;
      draft.severity = v1::Finding::WARNING;
    }
    sink.Add(std::move(draft));
  }
}

}  // namespace

Rule InfiniteNumber() { return {&kInfiniteNumber, &CheckInfiniteNumber}; }

}  // namespace quantgate
