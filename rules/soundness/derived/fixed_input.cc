#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/graph/sharing/sharing.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/prescribed.h"
#include "rules/soundness/rules.h"
#include "rules/values/bounds.h"
#include "rules/values/moved.h"

namespace quantgate {
namespace {

constexpr RuleInfo kFixedInput = {
    "FX010",
    "fixed-input",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Fixed parameters are for a range that is known, as a softmax's is. On an input whose range is not they cut off "
    "whatever lies beyond it: with scale 1/256 and zero point 0 every number above 0.496, whatever calibration saw "
    "where the tensor is written.",
    "Annotate the input like the output that it reads (SharedQuantizationSpec, or the same spec), and leave fixed "
    "parameters to the outputs of sigmoid, softmax, tanh and their like.",
    "mul whose inputs are fixed to scale 1/256 and zero point 0 (NXP's NeutronQuantizer of ExecuTorch 1.5.1) fires it "
    "behind an observed tensor and with a constant 2, and so does cat of a softmax and of what shares its parameters; "
    "behind a sigmoid, fixed to scale 1/256 and zero point -128, it does not.",
};

// The spec of the observer that looks at the tensor before an edge of group `read` does: where it is written, or where
// what it was moved from is. Null: there is none with a range of its own.
const v1::Spec* ObservedBefore(const SharingGroups& groups, const Graph& graph, int32_t value, int32_t read) {
  constexpr int kLongestChain = 64;
  for (int step = 0; step < kLongestChain && value >= 0; ++step) {
    const int32_t written = groups.group_at({value, -1});
    if (written >= 0) {
      const v1::Spec& spec = groups.spec_of(written);
      const bool observes = written != read && spec.kind() == v1::Spec::PLAIN && !spec.is_dynamic() &&
                            !HasFixedNumbers(graph.symbol(spec.observer()));
      return observes ? &spec : nullptr;
    }
    value = graph.producer(value) < 0 ? -1 : MovedBy(graph, graph.producer(value));
  }
  return nullptr;
}

std::string FromTo(double low, double high) { return absl::StrCat(FormatNumber(low), "..", FormatNumber(high)); }

// A fixed range that is an operator's domain is all that it can read: beyond it there is no result.
bool IsItsDomain(const Graph& graph, const SpecPlace& place, const Held& held) {
  const OpId op = graph.op(place.node);
  return (op == OpId::kAcos || op == OpId::kAsin || op == OpId::kAtanh) && Covers(held, -1, 1);
}

// Where pixels are taken from: -1..1 is the image, and most that is read lies in it.
bool IsPlaceInImage(const Graph& graph, const SpecPlace& place, const Held& held) {
  return graph.op(place.node) == OpId::kGridSample && graph.input(place.node, 0) != place.value && Covers(held, -1, 1);
}

// Whether all is held that the operator in front can write, whatever it reads: behind a sigmoid nothing else need be
// worked out.
bool HoldsAllOfItsOperator(const Graph& graph, int32_t value, const Held& held) {
  const int32_t producer = graph.producer(value);
  const Bounds bounds = producer < 0 ? Bounds{} : OutputBounds(graph.op(producer));
  return bounds.known && Covers(held, bounds.low, bounds.high);
}

// Whether the range that calibration gave an observer has numbers that are not held. A symmetric one has the largest
// number by size, at one end or the other.
bool SawMore(const v1::Spec& observed, const Held& seen, const Held& held, const Bounds& may_be) {
  const bool is_symmetric = observed.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC;
  if (!is_symmetric) return !Covers(held, seen.low, seen.high);
  const double largest = std::max(-seen.low, seen.high);
  const bool is_above = may_be.high > 0 && Covers(held, 0, largest);
  const bool is_below = may_be.low < 0 && Covers(held, -largest, 0);
  return !is_above && !is_below;
}

// What contradicts the range that is held; empty: nothing does. `is_shared`: it is that of another tensor.
std::string DescribeContradiction(const CheckContext& context, SpecPlace place, int32_t group, const Held& held,
                                  const Bounds& may_be, bool is_shared) {
  const Graph& graph = context.graph();
  if (IsItsDomain(graph, place, held) || (may_be.known && Covers(held, may_be.low, may_be.high))) return "";
  // A wider range may have been measured by who wrote it.
  const bool is_normalized = held.low >= -1.1 && held.high <= 1.1 && !IsPlaceInImage(graph, place, held);
  if (const v1::Spec* observed = ObservedBefore(GroupsOf(context), graph, place.value, group)) {
    if (context.stage() == v1::STAGE_ANNOTATED) {
      return is_normalized ? "while its range is observed where it is written" : "";
    }
    const std::optional<Held> seen = HeldBy(*observed);
    if (!seen || !SawMore(*observed, *seen, held, may_be)) return "";
    return absl::StrCat("while it was observed to fill ", FromTo(seen->low, seen->high));
  }
  if (!may_be.known) return is_normalized && is_shared ? "by sharing with another tensor, and nothing observes it" : "";
  if (!std::isfinite(may_be.low) || !std::isfinite(may_be.high)) {
    return is_normalized ? "while nothing bounds it" : "";
  }
  if (!may_be.reached) return "";
  if (may_be.low == may_be.high) return absl::StrCat("while it is ", FormatNumber(may_be.low));
  if (!graph.is_constant(place.value)) return absl::StrCat("while it fills ", FromTo(may_be.low, may_be.high));
  return absl::StrCat("while it goes from ", FormatNumber(may_be.low), " to ", FormatNumber(may_be.high));
}

void CheckFixedInput(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!IsAnnotation(context)) return;
  std::vector<bool> is_prescribed;
  for (const v1::Spec& spec : graph.message().specs()) {
    is_prescribed.push_back(IsPrescribed(context, spec) && HeldBy(spec));
  }
  if (!absl::c_linear_search(is_prescribed, true)) return;
  const SharingGroups& groups = GroupsOf(context);
  for (int entry = 0; entry < static_cast<int>(groups.group_of.size()); ++entry) {
    const SpecPlace place = groups.annotations.place(entry);
    if (!place.is_edge() || place.value < 0 || groups.annotations.is_stray(entry)) continue;
    const int32_t group = groups.group_of[entry];
    if (!is_prescribed[groups.annotations.spec_id(groups.leader(group))]) continue;
    if (!IsFloat(graph.dtype(place.value))) continue;
    const Held held = *HeldBy(groups.spec_of(group));
    if (HoldsAllOfItsOperator(graph, place.value, held)) continue;
    const int32_t leader = groups.annotations.place(groups.leader(group)).value;
    const bool is_shared = graph.spec_kind(groups.annotations.spec_id(entry)) == v1::Spec::SHARED && leader >= 0 &&
                           SourceOf(graph, place.value) != SourceOf(graph, leader);
    const std::string contradiction =
        DescribeContradiction(context, place, group, held, context.Once(BoundsOf)[place.value], is_shared);
    if (contradiction.empty()) continue;
    sink.Add(kFixedInput, PlaceOf(graph, place),
             absl::StrCat("is read with a fixed scale ", FormatNumber(held.step), " that holds ",
                          FromTo(held.low, held.high), ", ", contradiction),
             "parameters that hold all of it");
  }
}

}  // namespace

Rule FixedInput() { return {&kFixedInput, &CheckFixedInput}; }

}  // namespace quantgate
