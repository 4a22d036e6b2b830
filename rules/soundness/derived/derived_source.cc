#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/graph/sharing/annotations.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDerivedSource = {
    "FX012",
    "derived-source",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "convert_pt2e calculates what is derived from the parameters of the observers that it is derived from. Where the "
    "input is quantized at run time or in half precision there is a PlaceholderObserver, which raises "
    "\"calculate_qparams should not be called for PlaceholderObserver\"; where it is explicitly not quantized there is "
    "no observer at all.",
    "Leave the bias of such a node in float, as the kernels of dynamic quantization expect it.",
    "A bias that is derived from an input with is_dynamic=True fires it; from one with a MinMaxObserver it does not.",
};

// Of the spec that a sharing group's observer is made of.
bool HasNoNumbers(const Graph& graph, const v1::Spec& spec) {
  return spec.kind() == v1::Spec::EXPLICIT_NONE ||
         (spec.kind() == v1::Spec::PLAIN && KeepsNoRange(graph.symbol(spec.observer())));
}

std::string SourceFault(const SharingGroups& groups, SpecPlace source) {
  const Graph& graph = groups.annotations.graph();
  const int32_t group = groups.group_at(source);
  if (group < 0 || !HasNoNumbers(graph, groups.spec_of(group))) return "";
  return absl::StrCat("is derived from ", SpecPlaceName(graph, source), ", which has ",
                      groups.spec_of(group).kind() == v1::Spec::EXPLICIT_NONE
                          ? "no observer"
                          : "a PlaceholderObserver and no parameters before it runs");
}

std::string FirstFault(const SharingGroups& groups, absl::Span<const SpecPlace> sources) {
  for (SpecPlace source : sources) {
    if (std::string fault = SourceFault(groups, source); !fault.empty()) return fault;
  }
  return "";
}

void CheckDerivedSource(const CheckContext& context, FindingSink& sink) {
  if (!IsAnnotation(context)) return;
  const Graph& graph = context.graph();
  const auto is_derived = [&graph](int32_t spec) { return graph.spec_kind(spec) == v1::Spec::DERIVED; };
  if (absl::c_none_of(graph.unlike_specs(), is_derived)) return;
  const auto has_no_numbers = [&graph](const v1::Spec& spec) { return HasNoNumbers(graph, spec); };
  if (absl::c_none_of(graph.message().specs(), has_no_numbers)) return;
  const SharingGroups& groups = GroupsOf(context);
  if (groups.group_of.empty()) return;  // prepare_pt2e does not come that far, which is a finding of its own
  absl::flat_hash_map<int32_t, std::string> faults;  // by spec, which may be at many places
  for (int32_t group = 0; group < groups.num_groups(); ++group) {
    const int32_t leader = groups.leader(group), spec = groups.annotations.spec_id(leader);
    if (!is_derived(spec)) continue;
    const auto [found, is_first] = faults.try_emplace(spec);
    if (is_first) found->second = FirstFault(groups, graph.references(spec));
    if (found->second.empty()) continue;
    sink.Add(kDerivedSource, PlaceOf(graph, groups.annotations.place(leader)), found->second,
             "places whose observer has parameters");
  }
}

}  // namespace

Rule DerivedSource() { return {&kDerivedSource, &CheckDerivedSource}; }

}  // namespace quantgate
