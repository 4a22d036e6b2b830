#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kNotANumber = {
    "NR010",
    "not-a-number",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "No integer stands for NaN: each runtime and each processor makes another one of it, and an observer that sees it "
    "makes a scale of NaN, with which nothing is left of the tensor.",
    "Find where training or export made it, and export the weights again.",
    "A weight with one NaN, behind QuantizeLinear or annotated as int8, fires it; one without does not, nor one that "
    "stays float.",
};

// What a shared spec leads to is worked out already, and operands are in the order of inputs.
bool LeadsToIntegers(const CheckContext& context, const Use& use) {
  const int32_t op = context.resolved().op_of_node(use.node);
  if (op < 0) return false;
  const absl::Span<const Operand> inputs = context.resolved().inputs(context.resolved().ops()[op]);
  const auto* operand = std::lower_bound(inputs.begin(), inputs.end(), use.input,
                                         [](const Operand& input, int32_t at) { return input.argument < at; });
  return operand != inputs.end() && operand->argument == use.input && operand->quantized && IsInteger(operand->type);
}

// Integers are made of what is read there.
bool IsQuantizedAt(const CheckContext& context, const Use& use) {
  const Graph& graph = context.graph();
  if (IsQuantize(graph, use.node)) return graph.argument(use.node, use.input) == 0;
  const int32_t spec = graph.edge_spec(use.node, use.input);
  if (graph.origin() != v1::Graph::PT2E || spec < 0) return false;
  if (graph.spec_kind(spec) == v1::Spec::SHARED) return LeadsToIntegers(context, use);
  return IsInteger(graph.message().specs(spec).dtype());
}

// Annotated itself, whoever reads it.
bool IsQuantizedItself(const CheckContext& context, int32_t value) {
  const int32_t spec = IsAnnotation(context) ? context.graph().value_spec(value) : -1;
  return spec >= 0 && IsInteger(context.graph().message().specs(spec).dtype());
}

void CheckNotANumber(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    if (!constant.has_nan || !IsFloat(graph.dtype(constant.value))) continue;
    const absl::Span<const Use> uses = graph.uses(constant.value);
    const auto use = absl::c_find_if(uses, [&context](const Use& one) { return IsQuantizedAt(context, one); });
    if (use == uses.end() && !IsQuantizedItself(context, constant.value)) continue;
    const int64_t count = graph.value(constant.value).constant().statistics().nan_count();
    Place place;
    place.value = constant.value;
    if (use != uses.end()) {
      place.node = use->node;
      place.input = use->input;
    }
    sink.Add(kNotANumber, place, absl::StrCat("has ", count, " NaN in it, and is quantized"), "numbers");
  }
}

}  // namespace

Rule NotANumber() { return {&kNotANumber, &CheckNotANumber}; }

}  // namespace quantgate
