#include "absl/container/flat_hash_set.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/bias.h"
#include "rules/soundness/described.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kShiftedInteger = {
    "QS008",
    "shifted-integer",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: the zero point is {observed}; expected {allowed}",
    "ONNX defines DequantizeLinear of int32 without a zero point: \"there's no zero point (zero point is supposed to "
    "be 0)\". ONNX Runtime subtracts one all the same; a runtime that goes by the definition does not, and every "
    "number is off by zero point x scale there.",
    "Quantize with zero point 0, or leave the zero point out.",
    "An int32 tensor with zero point 5 in front of a DequantizeLinear fires it; with 0, or an int8 tensor with 5, it "
    "does not.",
};

void CheckShiftedInteger(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::ONNX) return;
  absl::flat_hash_set<int32_t> of_biases;  // Dequantize nodes; bias-zero-point speaks of those
  for (const QuantizedBias& bias : context.Once(QuantizedBiases)) of_biases.insert(bias.bias->quantizer);
  for (const Described& described : context.Once(DescribedTensors)) {
    const int32_t node = described.place.node;
    if (described.operand->type != v1::DATA_TYPE_INT32 || !IsDequantize(graph, node)) continue;
    // The definition of com.microsoft's says no such thing.
    if (graph.op_type(node) != "DequantizeLinear" || of_biases.contains(node)) continue;
    const RealView zero_points = described.params->zero_points;
    for (size_t i = 0; i < zero_points.size(); ++i) {
      if (zero_points[i] == 0) continue;
      Place place = described.place;
      if (zero_points.size() > 1) place.index = static_cast<int64_t>(i);
      sink.Add(kShiftedInteger, place, FormatNumber(zero_points[i]), "0: int32 is not shifted");
      break;
    }
  }
}

}  // namespace

Rule ShiftedInteger() { return {&kShiftedInteger, &CheckShiftedInteger}; }

}  // namespace quantgate
