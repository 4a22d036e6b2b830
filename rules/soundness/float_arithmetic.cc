#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "DT003",
    "float-arithmetic",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "PyTorch promotes: an integer and a float make a float. The graph says that the result is an integer, and "
    "whoever uses it as an index, a size or a mask offset fails when the model runs, at calibration already. "
    "Quantizers that lift scalar operands to float constants (transform_for_annotation of XNNPACK and Vulkan) "
    "do this to index arithmetic.",
    "Keep the constant an integer, or keep such nodes away from the transform.",
    "arange (int64) + a float32 constant declared int64 fires it; + an int64 constant, or declared float32, "
    "does not.",
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

void Check(const CheckContext& context, FindingSink& sink) {
  if (!IsAnnotation(context)) return;
  const Graph& graph = context.graph();
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.num_outputs(node) != 1 || graph.output(node, 0) < 0) continue;
    const v1::DataType declared = graph.dtype(graph.output(node, 0));
    if (!IsInteger(declared) || !Promotes(graph.op(node))) continue;
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const int32_t value = graph.input(node, i);
      if (value < 0 || !IsFloat(graph.dtype(value))) continue;
      Place place;
      place.node = node;
      place.input = i;
      place.value = value;
      sink.Add(kInfo, place,
               absl::StrCat("is ", DataTypeName(graph.dtype(value)), ", so the result is, and the graph declares ",
                            DataTypeName(declared)),
               "integer operands for an integer result");
      break;
    }
  }
}

}  // namespace

Rule FloatArithmetic() { return {&kInfo, &Check}; }

}  // namespace quantgate
