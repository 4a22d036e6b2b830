#include "rules/soundness/softmax_input.h"

#include <algorithm>

#include "rules/graph/quantizer.h"

namespace quantgate {
namespace {

// The Quantize behind a Dequantize that is no part of the node that reads `value`; -1: there is none.
int32_t QuantizeOf(const Graph& graph, int32_t value) {
  const int32_t dequantize = graph.producer(value);
  if (!IsDequantize(graph, dequantize)) return -1;
  const int32_t stored = QuantizerInputsOf(graph, dequantize).data;
  const int32_t quantize = stored < 0 ? -1 : graph.producer(stored);
  return IsQuantize(graph, quantize) ? quantize : -1;
}

// What the node writes as output `index`, quantized; null: it is not.
const Operand* QuantizedOutput(const ResolvedGraph& resolved, int32_t node, int32_t index) {
  const int32_t number = node < 0 ? -1 : resolved.op_of_node(node);
  if (number < 0) return nullptr;
  const absl::Span<const Operand> outputs = resolved.outputs(resolved.ops()[number]);
  return index >= 0 && index < static_cast<int32_t>(outputs.size()) && outputs[index].quantized ? &outputs[index]
                                                                                                : nullptr;
}

}  // namespace

bool MakesRatios(const Graph& graph, int32_t node) {
  const OpId op = graph.op(node);
  return op == OpId::kSoftmax || op == OpId::kLogSoftmax || op == OpId::kExp;
}

const Operand* QuantizedInput(const CheckContext& context, const ResolvedOp& op) {
  const Graph& graph = context.graph();
  const absl::Span<const Operand> inputs = context.resolved().inputs(op);
  if (inputs.empty() || inputs[0].edge_value < 0) return nullptr;
  if (inputs[0].quantized) return &inputs[0];
  const int32_t value = inputs[0].edge_value;
  const int32_t quantize = QuantizeOf(graph, value);
  // Where both are one operator, the Quantize has none.
  if (const Operand* written = QuantizedOutput(context.resolved(), quantize, 0)) return written;
  const int32_t written = quantize < 0 ? value : QuantizerInputsOf(graph, quantize).data;
  return written < 0 ? nullptr
                     : QuantizedOutput(context.resolved(), graph.producer(written), graph.output_index(written));
}

double StepsOf(const Operand& operand) {
  return static_cast<double>(operand.quant_max) - static_cast<double>(operand.quant_min);
}

absl::string_view ObserverOf(const Graph& graph, const Operand& operand) {
  return operand.spec < 0 ? "" : graph.symbol(graph.message().specs(operand.spec).observer());
}

Place SoftmaxInput(const CheckContext& context, const ResolvedOp& op) {
  const Operand& read = context.resolved().inputs(op)[0];
  Place place;
  place.node = op.node;
  place.input = read.argument;
  place.value = read.value;
  return place;
}

double LargestScale::Of(int32_t qparams, const RealView& scales) {
  const auto [known, is_new] = known_.try_emplace(qparams, 0.0);
  for (size_t i = 0; is_new && i < scales.size(); ++i) known->second = std::max(known->second, scales[i]);
  return known->second;
}

}  // namespace quantgate
