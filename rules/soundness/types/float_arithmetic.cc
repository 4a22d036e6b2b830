#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kFloatArithmetic = {
    "DT003",
    "float-arithmetic",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "PyTorch promotes: an integer and a float make a float. The graph says that the result is an integer. Where it is "
    "used as an index or a size, or its type is asserted, the model fails when it runs, at calibration already; "
    "elsewhere it is computed in float, which is exact to 2^24. Quantizers that lift scalar operands to float "
    "constants (transform_for_annotation of XNNPACK and Vulkan) do this to index arithmetic.",
    "Keep the constant an integer, or keep such nodes away from the transform.",
    "arange (int64) + a float32 constant declared int64 fires it, as an error in front of an embedding; + an int64 "
    "constant, or declared float32, does not.",
};

bool Promotes(OpId op) {
  switch (op) {
    case OpId::kAdd:
    case OpId::kSub:
    case OpId::kMul:
    case OpId::kDiv:
    case OpId::kFloorDiv:
    case OpId::kMod:
    case OpId::kFmod:
    case OpId::kPow:
    case OpId::kMaximum:
    case OpId::kMinimum:
      return true;
    default:
      return false;
  }
}

// Whether the node fails when this argument turns out to be a float: indices, sizes, and what is asserted.
bool NeedsIntegers(const Graph& graph, Use use) {
  const Binding* binding = graph.binding(use.node);
  if (binding == nullptr) return false;
  const Argument argument = ArgumentAt(*binding, graph.argument(use.node, use.input));
  if (argument.role != ArgRole::kData) return false;
  const PortRole role = binding->op->inputs[argument.port].role;
  return role == PortRole::kIndex || role == PortRole::kParameter;
}

// By value, whether some node fails when it turns out to be a float: at once, or behind nodes whose results then are
// floats too.
std::vector<bool> MustBeIntegers(const Graph& graph) {
  std::vector<bool> must(graph.num_values(), false);
  for (auto node = graph.order().rbegin(); node != graph.order().rend(); ++node) {
    bool passes_on = false;
    for (int i = 0; i < graph.num_outputs(*node); ++i) {
      const int32_t output = graph.output(*node, i);
      passes_on = passes_on || (output >= 0 && IsInteger(graph.dtype(output)) && must[output]);
    }
    for (int i = 0; i < graph.num_inputs(*node); ++i) {
      const int32_t input = graph.input(*node, i);
      if (input >= 0 && (passes_on || NeedsIntegers(graph, {*node, i}))) must[input] = true;
    }
  }
  return must;
}

void CheckFloatArithmetic(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto is_integer = [&graph](int32_t value) { return IsInteger(graph.dtype(value)); };
  if (!IsAnnotation(context) || absl::c_none_of(graph.unlike_values(), is_integer)) return;
  std::vector<bool> must_be_integers;  // made for the first
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.num_outputs(node) != 1 || graph.output(node, 0) < 0) continue;
    const v1::DataType declared = graph.dtype(graph.output(node, 0));
    if (!IsInteger(declared) || !Promotes(graph.op(node))) continue;
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const int32_t value = graph.input(node, i);
      if (value < 0 || !IsFloat(graph.dtype(value))) continue;
      if (must_be_integers.empty()) must_be_integers = MustBeIntegers(graph);
      FindingDraft draft;
      draft.rule = &kFloatArithmetic;
      draft.place.node = node;
      draft.place.input = i;
      draft.place.value = value;
      const bool fails = must_be_integers[graph.output(node, 0)];
      draft.observed =
          absl::StrCat("is ", DataTypeName(graph.dtype(value)), ", so the result is, and the graph declares ",
                       DataTypeName(declared), fails ? ", which is used as an index or size, or asserted" : "");
      draft.allowed = "integer operands for an integer result";
      if (!fails) {
        draft.effect = v1::Finding::PRECISION;
        draft.severity = v1::Finding::WARNING;
      }
      sink.Add(std::move(draft));
      break;
    }
  }
}

}  // namespace

Rule FloatArithmetic() { return {&kFloatArithmetic, &CheckFloatArithmetic}; }

}  // namespace quantgate
