#include <cmath>
#include <vector>

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

constexpr RuleInfo kCoarseSoftmax = {
    "FX009",
    "coarse-softmax",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Softmax, and exp, make differences of their input into ratios: where one step of the input is 0.7, the "
    "next probability is twice as large, and what lies in between is lost. It is nearly always a mask that makes the "
    "step so large: -10000 or -65535 in what is read leaves a few integers, or one, for all numbers that count. A "
    "clamp behind the sum leaves its steps as they are.",
    "Mask with a number just below what is not masked: a probability 20 below the largest is 2e-9 already. Or leave "
    "the masked sum float, in front of a float softmax.",
    "softmax(x + mask) fires it where mask has -10000 and the sum is quantized to 8 bits; in 16 bits, or with -30, "
    "it does not.",
};

// One step doubles a probability.
const double kLargestStep = std::log(2.0);

struct Step {
  double size = 0;
  double because_of = 0;  // a number in the input; 0: it is stated
  bool surely = true;     // that it is there: masks may follow from the input
};

Step StepOf(const CheckContext& context, const ResolvedOp& op, const Operand& input, const LargestNumbers& masks,
            LargestScale& largest_scale) {
  const QuantParams* params = context.resolved().qparams(input);
  if (params != nullptr && !params->scales.empty()) {
    return {
        largest_scale.Of(input.qparams, params->scales) * std::abs(context.graph().float_attribute(op.node, "beta", 1)),
        0};
  }
  if (context.stage() != v1::STAGE_ANNOTATED || input.quant_max <= input.quant_min) return {};
  const absl::string_view observer = ObserverOf(context.graph(), input);
  if (HasFixedNumbers(observer)) return {};
  const LargestNumber& largest = masks.In(input.edge_value);
  // HistogramObserver looks at finite numbers alone: lost-mask.
  if (std::isinf(largest.size) && ParseObserver(observer).observer == "HistogramObserver") return {};
  return {largest.size / StepsOf(input), largest.size, largest.surely};
}

// Of what the softmax reads, and of what that was cut from: the first that is too large.
struct Coarse {
  const Operand* tensor = nullptr;  // null: none is
  Step step;
  bool is_read = true;  // by the softmax itself
};

Coarse FindCoarse(const CheckContext& context, const ResolvedOp& op, const LargestNumbers& masks,
                  LargestScale& largest_scale) {
  constexpr size_t kFew = 16;
  Coarse found;
  const absl::Span<const Operand> inputs = context.resolved().inputs(op);
  std::vector<const Operand*> reads;
  if (!inputs.empty()) reads.push_back(&inputs[0]);
  for (size_t next = 0; next < reads.size(); ++next) {
    const Operand* tensor = AsQuantized(context, *reads[next]);
    if (tensor != nullptr && IsInteger(tensor->type)) {
      found.step = StepOf(context, op, *tensor, masks, largest_scale);
      found.is_read = next == 0;
      // With nothing but a mask there is no number to lose.
      if (found.step.size >= kLargestStep && !masks.In(tensor->edge_value).alone) {
        found.tensor = tensor;
        break;
      }
    }
    for (const Operand* from : CutFrom(context, *reads[next])) {
      const auto is_it = [from](const Operand* read) { return read->edge_value == from->edge_value; };
      if (reads.size() < kFew && absl::c_none_of(reads, is_it)) reads.push_back(from);
    }
  }
  return found;
}

void CheckCoarseSoftmax(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto makes_ratios = [&graph](int32_t node) { return MakesRatios(graph, node); };
  if (absl::c_none_of(graph.unlike_nodes(), makes_ratios)) return;
  const LargestNumbers& masks = context.Once(LargestNumbersOf);
  LargestScale largest_scale;
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (!makes_ratios(op.node)) continue;
    const Coarse coarse = FindCoarse(context, op, masks, largest_scale);
    if (coarse.tensor == nullptr) continue;
    const absl::string_view what = coarse.is_read ? "what it reads" : "what it reads was cut from what";
    const Step& step = coarse.step;
    sink.Add(kCoarseSoftmax, SoftmaxInput(context, op),
             step.because_of > 0
                 ? absl::StrCat(what, step.surely ? " has " : " may have ", FormatNumber(step.because_of),
                                " in it: one of its ", FormatNumber(StepsOf(*coarse.tensor)), " steps is ",
                                FormatNumber(step.size), " or more")
                 : absl::StrCat("a step of ", coarse.is_read ? "what it reads" : "what that was cut from", " is ",
                                FormatNumber(step.size)),
             absl::StrCat("less than ", FormatNumber(std::round(kLargestStep * 1000) / 1000)));
  }
}

}  // namespace

Rule CoarseSoftmax() { return {&kCoarseSoftmax, &CheckCoarseSoftmax}; }

}  // namespace quantgate
