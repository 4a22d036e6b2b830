#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/sharing/sharing.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kOverruledSpec = {
    "SH006",
    "overruled-spec",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "prepare_pt2e puts places whose specs agree in dtype, range, scheme and axis into one sharing group, and the first "
    "of them makes the observer of all: block sizes, observers and what a bias is derived from are not compared. The "
    "others' own specs have no effect, and nothing says so. A bias that takes the scale of another node's input x "
    "weight is too large or too small there by the ratio.",
    "Give the place a tensor of its own (clone the shared weight or bias), or state the same in all specs of the "
    "group.",
    "Two convolutions of different inputs that share one bias, each with a spec derived from its own edges, fire it; "
    "two that read the same input and weight, or biases of their own, do not.",
};

// Specs that torchao may compare equal, as one text.
std::string Compared(const v1::Spec& spec) {
  v1::Spec compared;
  compared.set_kind(spec.kind());
  compared.set_dtype(spec.dtype());
  compared.set_qscheme(spec.qscheme());
  compared.set_quant_min(spec.quant_min());
  compared.set_quant_max(spec.quant_max());
  compared.set_axis(spec.axis());
  return compared.SerializeAsString();
}

bool SameBlocks(const v1::Spec& a, const v1::Spec& b) {
  return std::equal(a.block_size().begin(), a.block_size().end(), b.block_size().begin(), b.block_size().end());
}

// Whether a group may have members that say different things, told without making groups. Derived specs differ nearly
// always, and meet only where several nodes read one tensor.
bool MayOverrule(const CheckContext& context) {
  const auto& specs = context.graph().message().specs();
  absl::flat_hash_map<std::string, int> like;
  const Graph& graph = context.graph();
  for (int i = 0; i < specs.size(); ++i) {
    if (graph.spec_kind(i) != v1::Spec::PLAIN) continue;
    const v1::Spec& first = specs[like.emplace(Compared(specs[i]), i).first->second];
    if (specs[i].observer() != first.observer() || !SameBlocks(specs[i], first)) return true;
  }
  absl::flat_hash_map<int32_t, int32_t> derived;  // by value, of those with several places for a spec
  const auto another = [&](int32_t value, int32_t spec) {
    if (graph.spec_kind(spec) != v1::Spec::DERIVED) return false;
    if (graph.uses(value).size() + (graph.value_spec(value) >= 0 ? 1 : 0) < 2) return false;
    return derived.emplace(value, spec).first->second != spec;
  };
  for (Use edge : graph.referring_edges()) {
    if (another(graph.input(edge.node, edge.input), graph.edge_spec(edge.node, edge.input))) return true;
  }
  for (int32_t value : graph.referring_values()) {
    if (another(value, graph.value_spec(value))) return true;
  }
  return false;
}

std::vector<int32_t> SourceGroups(const SharingGroups& groups, int32_t entry) {
  std::vector<int32_t> sources;
  for (const v1::EdgeRef& edge : groups.annotations.spec(entry).derived_from()) {
    const int32_t source = groups.annotations.Find(SpecPlaceOf(edge));
    sources.push_back(source < 0 ? -1 : groups.group_of[source]);
  }
  return sources;
}

std::string Sources(const Graph& graph, const v1::Spec& spec) {
  return absl::StrJoin(spec.derived_from(), " and ", [&](std::string* out, const v1::EdgeRef& edge) {
    out->append(SpecPlaceName(graph, SpecPlaceOf(edge)));
  });
}

std::string Blocks(const v1::Spec& spec) {
  return spec.block_size().empty() ? "no blocks"
                                   : absl::StrCat("blocks of [", absl::StrJoin(spec.block_size(), ", "), "]");
}

absl::string_view Observer(const Graph& graph, const v1::Spec& spec) {
  return spec.observer() == 0 ? "no observer" : graph.symbol(spec.observer());
}

// Plain specs whose observer looks at nothing: its numbers are prescribed.
bool HasFixedObserver(const Graph& graph, const v1::Spec& spec) {
  return absl::StartsWith(Observer(graph, spec), "FixedQParams");
}

// How the member's own spec is overruled by that of the group's first; nothing: it is not. Fixed numbers of the first
// count as agreed: its readers would observe them anyway.
void Compare(const SharingGroups& groups, int32_t leader, int32_t member, FindingDraft& draft) {
  const Annotations& table = groups.annotations;
  const Graph& graph = table.graph();
  const v1::Spec& first = table.spec(leader);
  const v1::Spec& own = table.spec(member);
  const auto by = [&] {
    return absl::StrCat(" of ", SpecPlaceName(graph, table.place(leader)), ", the first of its sharing group of ",
                        groups.group(groups.group_of[leader]).size());
  };
  if (own.kind() == v1::Spec::DERIVED && first.kind() == v1::Spec::DERIVED) {
    if (SourceGroups(groups, leader) == SourceGroups(groups, member)) return;
    draft.observed = absl::StrCat("is derived from ", Sources(graph, first), " like that", by());
    draft.allowed = absl::StrCat(Sources(graph, own), ", as its own spec says");
    draft.effect = v1::Finding::WRONG_NUMBERS;
    draft.severity = v1::Finding::ERROR;
  } else if (!SameBlocks(first, own)) {
    draft.observed = absl::StrCat("gets ", Blocks(first), " like those", by());
    draft.allowed = absl::StrCat(Blocks(own), ", as its own spec says");
  } else if (own.observer() != first.observer() && !HasFixedObserver(graph, first)) {
    draft.observed = absl::StrCat("is observed by the ", Observer(graph, first), by());
    draft.allowed = absl::StrCat("the ", Observer(graph, own), ", as its own spec says");
    if (HasFixedObserver(graph, own)) return;  // the numbers that were prescribed are lost
    draft.effect = v1::Finding::ADVICE;
    draft.severity = v1::Finding::INFO;
  }
}

// The first member that is overruled speaks for its group; those whose numbers are wrong speak for themselves, each of
// which needs another spec.
void CheckOverruledSpec(const CheckContext& context, FindingSink& sink) {
  if (!IsAnnotation(context) || !MayOverrule(context)) return;
  const SharingGroups& groups = GroupsOf(context);
  if (groups.group_of.empty()) return;  // they could not be made, which is a finding of its own
  const auto has_own = [&](int32_t entry) {
    return !groups.annotations.is_shared(entry) && groups.annotations.state(entry) == SpecState::kConcrete;
  };
  for (int32_t group = 0; group < groups.num_groups(); ++group) {
    const int32_t leader = groups.leader(group);
    if (!has_own(leader)) continue;
    FindingDraft found;
    for (int32_t member : groups.group(group).subspan(1)) {
      if (!has_own(member) || groups.annotations.spec_id(member) == groups.annotations.spec_id(leader)) continue;
      FindingDraft draft;
      draft.severity = kOverruledSpec.severity;
      Compare(groups, leader, member, draft);
      if (draft.observed.empty()) continue;
      if (!found.observed.empty() && draft.severity != v1::Finding::ERROR && draft.severity >= found.severity) continue;
      draft.rule = &kOverruledSpec;
      draft.place = PlaceOf(context.graph(), groups.annotations.place(member));
      draft.group = group + 1;
      if (!found.observed.empty() && found.severity == v1::Finding::ERROR) sink.Add(std::move(found));
      found = std::move(draft);
    }
    if (!found.observed.empty()) sink.Add(std::move(found));
  }
}

}  // namespace

Rule OverruledSpec() { return {&kOverruledSpec, &CheckOverruledSpec}; }

}  // namespace quantgate
