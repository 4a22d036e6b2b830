#include "rules/values/softmax_input.h"

#include <algorithm>
#include <vector>

#include "rules/graph/port_role.h"
#include "rules/graph/quantizer.h"
#include "rules/values/moved.h"

namespace quantgate {
namespace {

// The Quantize that wrote `value`, or what a Dequantize made it of; -1: there is none.
int32_t QuantizeOf(const Graph& graph, int32_t value) {
  const int32_t dequantize = graph.producer(value);
  const int32_t stored = IsDequantize(graph, dequantize) ? QuantizerInputsOf(graph, dequantize).data : value;
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

// x - amax(x), in front of an exp: a softmax that was taken apart.
bool SubtractsItsLargest(const Graph& graph, int32_t node) {
  if (graph.op(node) != OpId::kSub || graph.num_inputs(node) != 2 || graph.input(node, 1) < 0) return false;
  const int32_t largest = graph.producer(BeforeQuantize(graph, graph.input(node, 1)));
  return largest >= 0 && graph.op(largest) == OpId::kReduceMax;
}

// Whether each element of the result is one of `tensors`, turned around or moved by a constant, or a number of its own.
bool KeepsSteps(const Graph& graph, int32_t node, size_t tensors) {
  switch (graph.op(node)) {
    case OpId::kClamp:
    case OpId::kMaximum:
    case OpId::kMaskedFill:
    case OpId::kMinimum:
    case OpId::kNeg:
    case OpId::kRelu:
    case OpId::kThreshold:
    case OpId::kWhere:
      return true;
    case OpId::kAdd:
    case OpId::kSub:
      return tensors == 1 && graph.float_attribute(node, "alpha", 1) == 1;
    default:
      return MovedBy(graph, node) >= 0;
  }
}

}  // namespace

bool MakesRatios(const Graph& graph, int32_t node) {
  const OpId op = graph.op(node);
  return op == OpId::kSoftmax || op == OpId::kLogSoftmax || op == OpId::kExp;
}

const Operand* AsQuantized(const CheckContext& context, const Operand& read) {
  const Graph& graph = context.graph();
  const int32_t value = read.edge_value;
  if (read.quantized || value < 0) return read.quantized ? &read : nullptr;
  const int32_t quantize = QuantizeOf(graph, value);
  // Where both are one operator, the Quantize has none.
  if (const Operand* written = QuantizedOutput(context.resolved(), quantize, 0)) return written;
  const int32_t written = BeforeQuantize(graph, value);
  return QuantizedOutput(context.resolved(), graph.producer(written), graph.output_index(written));
}

std::vector<const Operand*> CutFrom(const CheckContext& context, const Operand& read) {
  const Graph& graph = context.graph();
  const int32_t value = read.edge_value < 0 ? -1 : BeforeQuantize(graph, read.edge_value);
  int32_t node = value < 0 ? -1 : graph.producer(value);
  if (node >= 0 && graph.op(node) == OpId::kGetItem) {  // of a split or the like
    const int32_t tuple = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
    node = tuple < 0 ? -1 : graph.producer(tuple);
  }
  const int32_t number = node < 0 ? -1 : context.resolved().op_of_node(node);
  if (number < 0) return {};
  constexpr size_t kFirstFew = 4;
  std::vector<const Operand*> from;
  const ResolvedOp& op = context.resolved().ops()[number];
  const absl::Span<const Operand> inputs = context.resolved().inputs(op);
  for (size_t i = 0; i < std::min(inputs.size(), kFirstFew); ++i) {
    const bool counts = inputs[i].present && !inputs[i].static_chain && RoleOf(op, inputs[i]) == PortRole::kActivation;
    if (counts) from.push_back(&inputs[i]);
  }
  if (SubtractsItsLargest(graph, node)) from.resize(std::min<size_t>(from.size(), 1));
  return KeepsSteps(graph, node, from.size()) ? from : std::vector<const Operand*>();
}

int32_t BeforeQuantize(const Graph& graph, int32_t value) {
  const int32_t quantize = QuantizeOf(graph, value);
  const int32_t before = quantize < 0 ? -1 : QuantizerInputsOf(graph, quantize).data;
  return before < 0 ? value : before;
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
