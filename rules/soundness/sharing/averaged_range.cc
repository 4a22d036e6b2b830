#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/observers.h"
#include "rules/graph/port_role.h"
#include "rules/graph/sharing/sharing.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"
#include "rules/values/bounds.h"
#include "rules/values/moved.h"

namespace quantgate {
namespace {

constexpr RuleInfo kAveragedRange = {
    "SH009",
    "averaged-range",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A moving average starts at the range of the first tensor that it sees and goes a little way towards each later "
    "one. Where one such observer serves several tensors that an operator puts together, it ends between their ranges, "
    "and the numbers of the wider ones that lie beyond are cut off: up to half of a wide tensor's range beside narrow "
    "ones, nearly all of it after few samples. A constant among them is seen first, and of zeros the average starts at "
    "nothing.",
    "Observe them with MinMaxObserver, HistogramObserver or, in front of cat, ExecuTorch's ConcatObserver, which keep "
    "the widest range (for example set_default_quant_config(act_observer=MinMaxObserver)).",
    "stack([x * 0.1, x * 4]) whose inputs and output share a MovingAverageMinMaxObserver fires it; with a "
    "MinMaxObserver, or of one tensor and its mirror image, it does not.",
};

// Whether a range starts with a constant's numbers: it is observed before anything is computed, the zeros of a cache
// too.
bool HasRange(const CheckContext& context, int32_t value) {
  const Bounds& holds = context.Once(BoundsOf)[value];
  return holds.known && holds.reached && std::isfinite(holds.low) && std::isfinite(holds.high);
}

// A tensor that is computed when the model runs, or a constant with a range.
struct Part {
  int32_t input;
  int32_t source;
  int32_t group;  // -1: it is not observed
};

// One that is read twice is there once.
std::vector<Part> PartsOf(const CheckContext& context, const SharingGroups& groups, int32_t node) {
  const Graph& graph = context.graph();
  std::vector<Part> parts;
  absl::flat_hash_set<int32_t> seen;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    if (value < 0 || (graph.is_static(value) && !HasRange(context, value))) continue;
    if (RoleAt(*graph.binding(node), graph.argument(node, i)) != PortRole::kActivation) continue;
    if (!seen.insert(value).second) continue;
    parts.push_back({i, SourceOf(graph, value), groups.group_at({value, node})});
  }
  return parts;
}

bool AllOfOneSource(absl::Span<const Part> parts) {
  return absl::c_all_of(parts, [&](const Part& part) { return part.source == parts[0].source; });
}

// "'a', 'b' and 3 more".
std::string NamesOf(const Graph& graph, int32_t node, absl::Span<const Part> parts) {
  constexpr size_t kNamed = 4;
  const auto name = [&](std::string* out, const Part& part) {
    absl::StrAppend(out, "'", graph.value(graph.input(node, part.input)).name(), "'");
  };
  std::string names = absl::StrJoin(parts.subspan(0, kNamed), ", ", name);
  if (parts.size() > kNamed) absl::StrAppend(&names, " and ", parts.size() - kNamed, " more");
  return names;
}

void CheckNode(const CheckContext& context, const SharingGroups& groups, int32_t node, FindingSink& sink) {
  const Graph& graph = context.graph();
  std::vector<Part> parts = PartsOf(context, groups, node);
  const bool moves = (graph.binding(node)->op->traits & (kMovesData | kSelects)) != 0;
  // What is computed has a range of its own.
  if (parts.empty() || (moves && AllOfOneSource(parts))) return;
  const int32_t result = graph.num_outputs(node) > 0 ? graph.output(node, 0) : -1;
  const int32_t group_of_result = result < 0 ? -1 : groups.group_at({result, -1});
  absl::c_stable_sort(parts, [](const Part& a, const Part& b) { return a.group < b.group; });
  for (auto begin = parts.begin(), end = begin; begin != parts.end(); begin = end) {
    const int32_t group = begin->group;
    end = std::find_if(begin, parts.end(), [group](const Part& part) { return part.group != group; });
    const absl::Span<const Part> together(&*begin, end - begin);
    const bool with_result = group == group_of_result;
    if (group < 0 || (!with_result && AllOfOneSource(together))) continue;
    const v1::Spec& spec = groups.spec_of(group);
    const absl::string_view observer = graph.symbol(spec.observer());
    if (spec.kind() != v1::Spec::PLAIN || spec.is_dynamic() || !Averages(observer)) continue;
    const SpecPlace at = with_result ? SpecPlace{result, -1} : SpecPlace{graph.input(node, begin->input), node};
    sink.Add(kAveragedRange, PlaceOf(graph, at),
             absl::StrCat("one ", observer, with_result ? " for it and " : " for ", NamesOf(graph, node, together),
                          ", which ends between the ranges of what is put together"),
             "an observer that keeps the widest range");
    return;
  }
}

void CheckAveragedRange(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!IsAnnotation(context)) return;
  const auto puts_together = [&graph](int32_t node) {
    return graph.binding(node) != nullptr && PutsTogether(*graph.binding(node));
  };
  if (absl::c_none_of(graph.unlike_nodes(), puts_together)) return;
  if (absl::c_none_of(graph.message().symbols(), Averages)) return;
  // Implicit sharing alone makes groups of a tensor and those who read it.
  if (graph.referring_values().empty() && graph.referring_edges().empty()) return;
  const SharingGroups& groups = GroupsOf(context);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (puts_together(node)) CheckNode(context, groups, node, sink);
  }
}

}  // namespace

Rule AveragedRange() { return {&kAveragedRange, &CheckAveragedRange}; }

}  // namespace quantgate
