#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "FI010",
    "output-type-expected",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "An integer operator's output has the type of its output zero point. A consumer whose zero point has another type "
    "reads the stored numbers as something else, or the model does not load.",
    "Give the output zero point and the consumers' zero points one type.",
    "QLinearConv with an int8 output zero point in front of QLinearAdd with a uint8 one fires it; uint8 in both does "
    "not.",
};

// Type that a consumer states for the tensor by its zero point; unspecified when it states none.
v1::DataType TypeStatedBy(const Graph& graph, const Use& use) {
  const Binding* binding = graph.binding(use.node);
  if (binding == nullptr) return v1::DATA_TYPE_UNSPECIFIED;
  const Argument data = ArgumentAt(*binding, graph.argument(use.node, use.input));
  if (data.role != ArgRole::kData || data.of_output) return v1::DATA_TYPE_UNSPECIFIED;
  for (int i = use.input + 1; i < graph.num_inputs(use.node); ++i) {
    const Argument argument = ArgumentAt(*binding, graph.argument(use.node, i));
    if (argument.role == ArgRole::kData) break;
    if (argument.role != ArgRole::kZeroPoint || argument.of_output || argument.port != data.port) continue;
    return graph.input(use.node, i) < 0 ? v1::DATA_TYPE_UNSPECIFIED : graph.value(graph.input(use.node, i)).dtype();
  }
  return v1::DATA_TYPE_UNSPECIFIED;
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t node : graph.integer_nodes()) {
    const Binding* binding = graph.binding(node);
    if (graph.num_outputs(node) == 0) continue;
    const int32_t value = graph.output(node, 0);
    if (value < 0) continue;
    v1::DataType written = v1::DATA_TYPE_UNSPECIFIED;
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const Argument argument = ArgumentAt(*binding, graph.argument(node, i));
      if (argument.role == ArgRole::kZeroPoint && argument.of_output && graph.input(node, i) >= 0) {
        written = graph.value(graph.input(node, i)).dtype();
      }
    }
    if (written == v1::DATA_TYPE_UNSPECIFIED) continue;
    for (const Use& use : graph.uses(value)) {
      const v1::DataType expected = TypeStatedBy(graph, use);
      if (expected == v1::DATA_TYPE_UNSPECIFIED || expected == written) continue;
      Place place;
      place.node = node;
      place.output = 0;
      place.value = value;
      sink.Add(kInfo, place, absl::StrCat("is written as ", DataTypeName(written)),
               absl::StrCat(DataTypeName(expected), ", which node '", NodeName(graph, use.node), "' reads"));
      break;
    }
  }
}

}  // namespace

Rule OutputTypeExpected() { return {&kInfo, &Check}; }

}  // namespace quantgate
