#include "rules/backends/qnn_htp/executorch/observed_infinity.h"

#include "absl/algorithm/container.h"
#include "rules/backends/qnn_htp/executorch/runs.h"
#include "rules/graph/observers.h"
#include "rules/values/attained_range.h"

namespace quantgate::qnn_htp {
namespace {

bool IsObserved(const Graph& graph, const Operand& operand) {
  if (!operand.quantized || operand.spec < 0) return false;
  const v1::Spec& spec = graph.message().specs(operand.spec);
  return MakesScaleOfEnds(spec, graph.symbol(spec.observer()));
}

}  // namespace

const RuleInfo kObservedInfinity = {
    "NR203",
    "observed-infinity",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnnotated,
    "{subject} has {observed}; {allowed}.",
    "The observer makes a scale of the smallest and the largest number, and that of an infinity is infinite. "
    "Validation lets it pass (NR202); then the tensor cannot be made, and the lowering ends with \"Failed to generate "
    "Qnn context binary\". T5 takes such a logarithm of the distances between positions, one of which is 0.",
    "Keep what is counted and masked out of the annotation, clamp it in front of the logarithm or the quotient, or "
    "observe it by HistogramObserver, which looks at finite numbers alone.",
    "Fires: the logarithm of arange(4), observed by MovingAverageMinMaxObserver, with the toolchain executorch. Does "
    "not: that of arange(1, 4), one that is not annotated, or what is computed of the infinity.",
};

bool FindObservedInfinity(const CheckContext& context, const ResolvedOp& op, FindingSink& sink,
                          bool& looked_at_constants) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E || context.stage() != v1::STAGE_ANNOTATED) return false;
  const absl::Span<const Operand> outputs = context.resolved().outputs(op);
  if (outputs.empty() || !outputs[0].static_chain || !IsObserved(graph, outputs[0])) return false;
  looked_at_constants = true;
  const auto is_infinite = [&](const Operand& operand) {
    return context.Once(AttainedRangesOf).Of(operand.value).has_infinity();
  };
  if (!is_infinite(outputs[0]) || absl::c_any_of(context.resolved().inputs(op), is_infinite)) return false;
  Place place;
  place.node = op.node;
  place.value = outputs[0].value;
  place.output = 0;
  sink.Add(kObservedInfinity, place, "an infinity in it, of which calibration makes an infinite scale",
           "a tensor needs a finite scale", OfTheRuns());
  return true;
}

}  // namespace quantgate::qnn_htp
