#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/types/integer_uses.h"

namespace quantgate {
namespace {

constexpr RuleInfo kFloatArithmetic = {
    "DT003",
    "float-arithmetic",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "PyTorch promotes: an integer and a float make a float, and so does the quotient of two integers. The graph says "
    "that the result is an integer. Where it is used as an index or a size, or its type is asserted, the model fails "
    "when it runs, at calibration already; elsewhere it is computed in float, which is exact to 2^24. Quantizers that "
    "lift scalar operands to float constants (transform_for_annotation of XNNPACK and Vulkan) do this to index "
    "arithmetic, and QNN's, which makes a quotient and a floor of a remainder.",
    "Keep the constant an integer, or keep such nodes away from the transform.",
    "arange (int64) + a float32 constant declared int64 fires it, as an error in front of an embedding; + an int64 "
    "constant, or declared float32, does not. Nor does a quotient of integers that is no index.",
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

// A quotient that is not rounded.
bool DividesIntegers(const Graph& graph, int32_t node) {
  if (graph.op(node) != OpId::kDiv || graph.attribute(node, "rounding_mode") != nullptr) return false;
  return graph.num_inputs(node) > 0 && graph.input(node, 0) >= 0 && IsInteger(graph.dtype(graph.input(node, 0)));
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
    bool promotes = false;
    for (int i = 0; !promotes && i < graph.num_inputs(node); ++i) {
      const int32_t value = graph.input(node, i);
      if (value < 0 || !IsFloat(graph.dtype(value))) continue;
      promotes = true;
      if (must_be_integers.empty()) must_be_integers = MustBeIntegers(graph, IntegerCasts::kMakeIntegers);
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
    }
    if (promotes || !DividesIntegers(graph, node)) continue;
    if (must_be_integers.empty()) must_be_integers = MustBeIntegers(graph, IntegerCasts::kMakeIntegers);
    if (!must_be_integers[graph.output(node, 0)]) continue;
    Place place;
    place.node = node;
    sink.Add(kFloatArithmetic, place,
             absl::StrCat("divides integers, which makes a float, and the graph declares ", DataTypeName(declared),
                          ", which is used as an index or size, or asserted"),
             "a quotient that is rounded, for an integer result");
  }
}

}  // namespace

Rule FloatArithmetic() { return {&kFloatArithmetic, &CheckFloatArithmetic}; }

}  // namespace quantgate
