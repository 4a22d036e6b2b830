#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/soundness/rules.h"
#include "rules/values/largest_number.h"
#include "rules/values/softmax_input.h"

namespace quantgate {
namespace {

constexpr RuleInfo kLostMask = {
    "FX011",
    "lost-mask",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A mask of -inf makes the probability 0, but a quantized tensor ends at the smallest number of its range: what is "
    "masked reads as that, and keeps the probability that it has. HistogramObserver looks at finite numbers alone, so "
    "that its range ends where what is not masked does; a mask that is itself observed becomes 0.",
    "Mask with a finite number just below all others, which the observer then sees: 20 below the largest a probability "
    "is 2e-9. Or leave the masked sum float, in front of a float softmax.",
    "softmax(masked_fill(x, mask, -inf)) fires it where the filled tensor is observed by HistogramObserver; with -20, "
    "or without a mask, it does not.",
};

// exp of minus this, 2e-9, is nothing beside the largest probability.
constexpr double kWideEnough = 20;

// From the largest number of the range to the smallest; -1: not known, or not lost.
double RangeOf(const CheckContext& context, const ResolvedOp& op, const Operand& input, LargestScale& largest_scale) {
  const QuantParams* params = context.resolved().qparams(input);
  if (params == nullptr || params->scales.empty()) return -1;
  const double scale = largest_scale.Of(input.qparams, params->scales);
  return scale * StepsOf(input) * std::abs(context.graph().float_attribute(op.node, "beta", 1));
}

void CheckLostMask(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto makes_ratios = [&graph](int32_t node) { return MakesRatios(graph, node); };
  if (absl::c_none_of(graph.unlike_nodes(), makes_ratios) || !context.Once(HasInfinity)) return;
  const LargestNumbers& masks = context.Once(LargestNumbersOf);
  LargestScale largest_scale;
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (!makes_ratios(op.node)) continue;
    const absl::Span<const Operand> inputs = context.resolved().inputs(op);
    const Operand* input = inputs.empty() ? nullptr : AsQuantized(context, inputs[0]);
    if (input == nullptr || !IsInteger(input->type)) continue;
    const LargestNumber& mask = masks.In(BeforeQuantize(graph, input->edge_value));
    if (!std::isinf(mask.size)) continue;
    const absl::string_view has =
        mask.surely ? "what it reads has an infinity in it" : "what it reads may have an infinity in it";
    const double range = RangeOf(context, op, *input, largest_scale);
    if (range >= 0) {
      if (range >= kWideEnough) continue;
      sink.Add(kLostMask, SoftmaxInput(context, op),
               absl::StrCat(has, ", and its range is ", FormatNumber(range), " wide"),
               absl::StrCat("a range of ", FormatNumber(kWideEnough), " or more, or no infinity"));
    } else if (ParseObserver(ObserverOf(graph, *input)).observer == "HistogramObserver") {
      sink.Add(kLostMask, SoftmaxInput(context, op), absl::StrCat(has, ", which HistogramObserver does not look at"),
               "a finite number in its place");
    }
  }
}

}  // namespace

Rule LostMask() { return {&kLostMask, &CheckLostMask}; }

}  // namespace quantgate
