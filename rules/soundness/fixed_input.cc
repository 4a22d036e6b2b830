#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/graph/sharing.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/bounds.h"
#include "rules/soundness/moved.h"
#include "rules/soundness/prescribed.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kFixedInput = {
    "FX010",
    "fixed-input",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Fixed parameters are for a range that is known, as a softmax's is. On an input whose range is not they cut off "
    "whatever lies beyond it: with scale 1/256 and zero point 0 every number above 0.496, whatever calibration saw "
    "where the tensor is written.",
    "Annotate the input like the output that it reads (SharedQuantizationSpec, or the same spec), and leave fixed "
    "parameters to the outputs of sigmoid, softmax, tanh and their like.",
    "mul whose inputs are fixed to scale 1/256 and zero point 0 (NXP's NeutronQuantizer of ExecuTorch 1.5.1) fires it "
    "behind an observed tensor and with a constant 2; behind a sigmoid, fixed to scale 1/256 and zero point -128, it "
    "does not.",
};

// Beyond the range by more than the rounding of its ends.
bool SticksOut(const Held& held, double low, double high) {
  const double slack = 1.5 * held.step;
  return low < held.low - slack || high > held.high + slack;
}

// The spec of the observer that looks at the tensor before the edge does: where it is written, or where what it was
// moved from is. Null: there is none with a range of its own.
const v1::Spec* ObservedBefore(const SharingGroups& groups, const Graph& graph, const AnnotatedPlace& at) {
  const auto group_of = [&groups](SpecPlace place) {
    const int32_t entry = groups.group_of.empty() ? -1 : groups.annotations.Find(place);
    return entry < 0 ? -1 : groups.group_of[entry];
  };
  const int32_t read = group_of({at.value, at.place.node});
  constexpr int kLongestChain = 64;
  int32_t value = at.value;
  for (int step = 0; step < kLongestChain && value >= 0; ++step) {
    const int32_t written = group_of({value, -1});
    if (written >= 0) {
      const v1::Spec& spec = groups.annotations.spec(groups.leader(written));
      const bool observes = written != read && spec.kind() == v1::Spec::PLAIN && !spec.is_dynamic() &&
                            !HasFixedNumbers(graph.symbol(spec.observer()));
      return observes ? &spec : nullptr;
    }
    value = graph.producer(value) < 0 ? -1 : MovedBy(graph, graph.producer(value));
  }
  return nullptr;
}

std::string FromTo(double low, double high) { return absl::StrCat(FormatNumber(low), "..", FormatNumber(high)); }

// What contradicts the range that is held; empty: nothing does.
std::string Contradiction(const CheckContext& context, const AnnotatedPlace& at, const Held& held,
                          std::vector<Bounds>& bounds) {
  const Graph& graph = context.graph();
  if (bounds.empty()) bounds = BoundsOf(context);
  const Bounds& may_be = bounds[at.value];
  if (may_be.known && !SticksOut(held, may_be.low, may_be.high)) return "";
  if (const v1::Spec* observed = ObservedBefore(GroupsOf(context), graph, at)) {
    if (context.stage() == v1::STAGE_ANNOTATED) return "while its range is observed where it is written";
    const std::optional<Held> seen = HeldBy(*observed);
    if (!seen || !SticksOut(held, seen->low, seen->high)) return "";
    return absl::StrCat("while it was observed to fill ", FromTo(seen->low, seen->high));
  }
  if (!may_be.known) return "";
  if (std::isfinite(may_be.low) && std::isfinite(may_be.high)) {
    return absl::StrCat("while it ", graph.is_constant(at.value) ? "goes from " : "fills ", FormatNumber(may_be.low),
                        graph.is_constant(at.value) ? " to " : "..", FormatNumber(may_be.high));
  }
  // A wider one may have been measured by who wrote it.
  const bool is_normalized = held.low >= -1.1 && held.high <= 1.1;
  return is_normalized ? "while nothing bounds it" : "";
}

void CheckFixedInput(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!IsAnnotation(context)) return;
  std::vector<Bounds> bounds;
  const auto wanted = [&](const v1::Spec& spec) { return IsPrescribed(context, spec) && IsInteger(spec.dtype()); };
  ForEachAnnotated(context, wanted, [&](const AnnotatedPlace& at) {
    if (at.place.input < 0 || !IsFloat(graph.dtype(at.value))) return;
    const v1::Spec& spec = graph.message().specs(at.spec);
    const std::optional<Held> held = HeldBy(spec);
    if (!held) return;
    const std::string contradiction = Contradiction(context, at, *held, bounds);
    if (contradiction.empty()) return;
    sink.Add(kFixedInput, at.place,
             absl::StrCat("is read with a fixed scale ", FormatNumber(spec.qparams().scales(0)), " that holds ",
                          FromTo(held->low, held->high), ", ", contradiction),
             "parameters that hold all of it");
  });
}

}  // namespace

Rule FixedInput() { return {&kFixedInput, &CheckFixedInput}; }

}  // namespace quantgate
