#include "rules/soundness/annotated.h"

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"

namespace quantgate {
namespace {

SharingGroups ComputeGroups(const CheckContext& context) { return ComputeSharingGroups(context.graph()); }

// Through the shorter list of both: a node may read very many tensors, and very many may read a tensor.
int32_t FirstInputOf(const Graph& graph, SpecPlace edge) {
  const auto uses = graph.uses(edge.value);
  if (static_cast<int64_t>(uses.size()) < graph.num_inputs(edge.node)) {
    const auto use = absl::c_find_if(uses, [&](const Use& use) { return use.node == edge.node; });
    return use == uses.end() ? -1 : use->input;
  }
  for (int i = 0; i < graph.num_inputs(edge.node); ++i) {
    if (graph.input(edge.node, i) == edge.value) return i;
  }
  return -1;
}

// What Spec.observer names, or what prepare_pt2e takes where a spec names none; empty: there is nothing to be said.
absl::string_view ObserverMadeOf(const Graph& graph, int32_t spec) {
  switch (graph.spec_kind(spec)) {
    case v1::Spec::PLAIN:
      return graph.symbol(graph.message().specs(spec).observer());
    case v1::Spec::FIXED:
      return kFixedObserver;
    case v1::Spec::DERIVED:
      return kDerivedObserver;
    default:
      return "";
  }
}

// Specs that say the same and name one observer: every layer has a derived bias of its own, and all of them do.
struct ObservedSpecs {
  std::vector<int32_t> like;    // by spec: the first such one
  std::vector<int32_t> unlike;  // those that are the first, and of which an observer is made
};

ObservedSpecs ObservedSpecsOf(const CheckContext& context) {
  const Graph& graph = context.graph();
  const auto& specs = graph.message().specs();
  ObservedSpecs observed;
  observed.like.resize(specs.size());
  for (int32_t spec = 0; spec < specs.size(); ++spec) {
    const int32_t like = graph.spec_like(spec);
    const bool same = like != spec && specs[like].observer() == specs[spec].observer();
    observed.like[spec] = same ? like : spec;
    if (!same && !ObserverMadeOf(graph, spec).empty()) observed.unlike.push_back(spec);
  }
  return observed;
}

}  // namespace

const SharingGroups& GroupsOf(const CheckContext& context) { return context.Once(ComputeGroups); }

Place PlaceOf(const Graph& graph, SpecPlace at) {
  Place place;
  place.value = at.value;
  place.node = at.is_edge() ? at.node : graph.producer(at.value);
  if (!at.is_edge()) place.output = place.node < 0 ? -1 : graph.output_index(at.value);
  if (at.is_edge()) place.input = FirstInputOf(graph, at);
  return place;
}

void ForEachAnnotated(const CheckContext& context, absl::FunctionRef<bool(const v1::Spec&)> wanted,
                      absl::FunctionRef<void(const AnnotatedPlace&)> visit) {
  ForEachAnnotated(
      context, [](int32_t) { return true; }, wanted, visit);
}

void ForEachAnnotated(const CheckContext& context, absl::FunctionRef<bool(int32_t value)> of,
                      absl::FunctionRef<bool(const v1::Spec&)> wanted,
                      absl::FunctionRef<void(const AnnotatedPlace&)> visit) {
  if (!IsAnnotation(context)) return;
  const Graph& graph = context.graph();
  std::vector<bool> picked(graph.message().specs_size());
  bool any = false;
  for (int32_t spec : graph.unlike_specs()) {
    picked[spec] = wanted(graph.message().specs(spec));
    any |= picked[spec];
  }
  if (!any) return;
  std::vector<bool> looked_at(graph.num_values());
  any = false;
  for (int32_t value : graph.unlike_values()) {
    looked_at[value] = of(value);
    any |= looked_at[value];
  }
  if (!any) return;
  for (int32_t spec = 0; spec < static_cast<int32_t>(picked.size()); ++spec)
    picked[spec] = picked[graph.spec_like(spec)];
  AnnotatedPlace found;
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (!looked_at[graph.value_like(value)]) continue;
    found.value = value;
    found.spec = graph.value_spec(value);
    if (found.spec >= 0 && picked[found.spec]) {
      found.place = Place();
      found.place.node = graph.producer(value);
      found.place.output = found.place.node < 0 ? -1 : graph.output_index(value);
      found.place.value = value;
      visit(found);
    }
    for (const Use& use : graph.uses(value)) {
      found.spec = graph.edge_spec(use.node, use.input);
      if (found.spec < 0 || !picked[found.spec]) continue;
      found.place = Place();
      found.place.node = use.node;
      found.place.input = use.input;
      found.place.value = value;
      visit(found);
    }
  }
}

bool MakesTheObserver(const CheckContext& context, const AnnotatedPlace& at, absl::FunctionRef<bool(int32_t)> picked) {
  const SharingGroups& groups = GroupsOf(context);
  if (groups.group_of.empty()) return true;  // prepare_pt2e does not come that far, which is a finding of its own
  const int32_t entry = groups.annotations.Find({at.value, at.place.input >= 0 ? at.place.node : -1});
  return entry < 0 || picked(groups.annotations.spec_id(groups.leader(groups.group_of[entry])));
}

void ForEachObserver(const CheckContext& context, absl::FunctionRef<bool(const v1::Spec&, const ObserverName&)> refused,
                     absl::FunctionRef<void(const AnnotatedPlace&, const v1::Spec&, const ObserverName&)> visit) {
  if (!IsAnnotation(context)) return;
  const Graph& graph = context.graph();
  const auto& specs = graph.message().specs();
  const ObservedSpecs& observed = context.Once(ObservedSpecsOf);
  std::vector<bool> picked(specs.size());
  bool any = false;
  for (int32_t spec : observed.unlike) {
    picked[spec] = refused(specs[spec], ParseObserver(ObserverMadeOf(graph, spec)));
    any |= picked[spec];
  }
  if (!any) return;
  for (int32_t spec = 0; spec < specs.size(); ++spec) picked[spec] = picked[observed.like[spec]];
  // Specs that say the same may have different observers.
  const auto any_spec = [](const v1::Spec&) { return true; };
  ForEachAnnotated(context, any_spec, [&](const AnnotatedPlace& at) {
    if (!picked[at.spec] || !MakesTheObserver(context, at, [&picked](int32_t spec) { return picked[spec]; })) return;
    visit(at, specs[at.spec], ParseObserver(ObserverMadeOf(graph, at.spec)));
  });
}

}  // namespace quantgate
