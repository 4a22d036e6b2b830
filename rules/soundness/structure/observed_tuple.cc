#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/unobserved.h"

namespace quantgate {
namespace {

constexpr RuleInfo kObservedTuple = {
    "GS019",
    "observed-tuple",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "prepare_pt2e puts an observer on every edge that has a spec, whatever goes along it. An observer in front of a "
    "getitem is given the tuple, one in front of a symbolic size or of what item() took out a number, and raises "
    "when the model is calibrated. Only where it is the observer of the tuple or number itself it is never inserted, "
    "as none of those is.",
    "Annotate what the getitem takes out, or the edges into its readers; leave numbers without a spec.",
    "A spec on the edge from split to getitem fires it, as does one on the edge from sym_size to view; the same that "
    "shares with the output spec of split, or a spec on the output of getitem, does not.",
};

bool MakesAnObserver(const v1::Spec& spec) { return spec.kind() != v1::Spec::EXPLICIT_NONE; }

// A getitem takes out of a tuple, whoever has told; others may read the single result of an operator that has several.
bool ReadsNoTensor(const Graph& graph, const AnnotatedPlace& at) {
  if (graph.is_no_tensor(at.value)) return true;
  const int32_t producer = graph.producer(at.value);
  return graph.op(at.place.node) == OpId::kGetItem && producer >= 0 && graph.op(producer) != OpId::kGetItem;
}

void CheckObservedTuple(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!MayHaveNoTensors(graph)) return;
  ForEachAnnotated(context, MakesAnObserver, [&](const AnnotatedPlace& at) {
    if (at.place.input < 0 || !ReadsNoTensor(graph, at)) return;
    const SharingGroups& groups = GroupsOf(context);
    const int32_t of_tuple = groups.group_at({at.value, -1});
    if (groups.group_of.empty() || (of_tuple >= 0 && of_tuple == groups.group_at({at.value, at.place.node}))) return;
    sink.Add(kObservedTuple, at.place,
             graph.is_no_tensor(at.value)
                 ? "its spec puts an observer in front of what is no tensor but a number or the like"
                 : "its spec puts an observer in front of a tuple",
             "specs on tensors only");
  });
}

}  // namespace

Rule ObservedTuple() { return {&kObservedTuple, &CheckObservedTuple}; }

}  // namespace quantgate
