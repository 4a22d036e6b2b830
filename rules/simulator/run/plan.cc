#include "rules/simulator/run/plan.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/simulator/run/control_flow.h"
#include "rules/simulator/run/stored.h"

namespace quantgate::simulator {
namespace {

Slot SlotOf(const Graph& graph, const ResolvedGraph& resolved, const Operand& operand, int32_t value) {
  Slot slot;
  slot.value = value;
  slot.port = operand.port;
  if (value < 0 || !operand.quantized) return slot;
  // A spec without numbers is an intention: the tensor is still of floats.
  const QuantParams* params = resolved.qparams(operand);
  const bool folded = operand.quantizer >= 0;
  const bool stored = folded || !IsFloat(graph.dtype(value));
  if (!stored || params == nullptr || IsSmallFloat(operand.type)) return slot;
  slot.q = QuantizationOf(params, graph.rank(value));
  if (!folded && !slot.q.quantized()) return slot;
  slot.quantized = true;
  slot.type = operand.type;
  slot.quant_min = operand.quant_min;
  slot.quant_max = operand.quant_max;
  slot.quantizer = operand.quantizer;
  slot.late_zero_point = HasLateZeroPoint(graph, operand.quantizer);
  return slot;
}

// LiteRT's QUANTIZE and DEQUANTIZE say by their tensors what they do.
OpId ConversionOf(const Graph& graph, const Step& step) {
  const absl::string_view op = graph.op_type(step.node);
  if (graph.origin() != v1::Graph::TFLITE || (op != "QUANTIZE" && op != "DEQUANTIZE")) return step.op;
  if (step.inputs.empty() || step.outputs.empty()) return step.op;
  const bool in = step.inputs[0].quantized, out = step.outputs[0].quantized;
  return in && out ? OpId::kRequantize : out ? OpId::kQuantize : in ? OpId::kDequantize : OpId::kIdentity;
}

// What a Quantize node alone reads is written quantized by its producer. Two of them may ask for different parameters:
// then the producer writes floats for both.
bool Folds(const Graph& graph, const Operand& output) {
  return output.quantizer >= 0 && IsQuantize(graph, output.quantizer) && graph.num_outputs(output.quantizer) > 0 &&
         graph.only_use(output.edge_value) != nullptr;
}

// ONNX: the node has no integers among its operands but those of one type, which it leaves as they are.
bool MovesIntegers(const Graph& graph, const Step& step) {
  const Operator& op = GetOperator(step.op);
  // QLinearConcat and its like state the parameters of each operand, and rescale.
  const Binding* binding = graph.binding(step.node);
  if (binding == nullptr || binding->integer_operator) return false;
  if (graph.origin() != v1::Graph::ONNX || (op.traits & (kMovesData | kSelects)) == 0) return false;
  if (step.outputs.empty() || !step.outputs[0].quantized || !step.outputs[0].q.quantized()) return false;
  const auto folded = [](const Slot& slot) { return slot.quantizer >= 0; };
  return std::none_of(step.inputs.begin(), step.inputs.end(), folded) &&
         std::none_of(step.outputs.begin(), step.outputs.end(), folded);
}

class Planner {
 public:
  Planner(const Graph& graph, const ResolvedGraph& resolved) : graph_(graph), resolved_(resolved) {}

  std::vector<Step> Run() {
    for (const ResolvedOp& op : resolved_.ops()) AddStep(op);
    FindLastReads();
    return std::move(steps_);
  }

 private:
  void AddStep(const ResolvedOp& op) {
    const OpId id = op.op == nullptr ? OpId::kUnknown : op.op->id;
    if (id == OpId::kConstant || id == OpId::kPlaceholder || id == OpId::kOutput || id == OpId::kAssert) return;
    Step step;
    step.node = op.node;
    step.op = id;
    for (const Operand& operand : resolved_.inputs(op)) {
      // Small floats are no integers that a kernel could read: what is read is what their Dequantize makes of them.
      const bool small = IsSmallFloat(operand.type) && operand.quantizer != op.node;
      const int32_t value =
          operand.quantizer >= 0 && id != OpId::kQuantize && !small ? StoredValue(graph_, operand) : operand.edge_value;
      step.inputs.push_back(SlotOf(graph_, resolved_, operand, operand.present ? value : -1));
    }
    // Weights in blocks of few bits are read packed, by the lowering.
    if (absl::EndsWith(graph_.op_type(op.node), "::MatMulNBits") ||
        absl::EndsWith(graph_.op_type(op.node), "::GatherBlockQuantized")) {
      for (Slot& slot : step.inputs) slot.quantized = false;
    }
    std::vector<int32_t> quantizers;
    for (const Operand& operand : resolved_.outputs(op)) {
      int32_t value = operand.edge_value;
      Operand written = operand;
      const bool own = operand.quantizer == op.node;
      if (operand.quantizer >= 0 && !own) {
        if (Folds(graph_, operand) && !IsSmallFloat(operand.type)) {
          value = graph_.output(operand.quantizer, 0);
        } else {
          quantizers.push_back(operand.quantizer);
          written.quantized = false;
          written.quantizer = -1;
        }
      }
      step.outputs.push_back(SlotOf(graph_, resolved_, written, value));
    }
    while (!step.outputs.empty() && step.outputs.back().value < 0) step.outputs.pop_back();
    if (step.outputs.empty()) return;
    step.op = ConversionOf(graph_, step);
    KeepParameters(step);
    if (MovesIntegers(graph_, step)) BorrowParameters(step);
    steps_.push_back(std::move(step));
    for (int32_t quantizer : quantizers) AddQuantize(quantizer);
  }

  // An operator on stored integers that names no parameters of its result: those of its operand.
  void KeepParameters(Step& step) const {
    if (step.inputs.empty() || !step.inputs[0].quantized || graph_.origin() != v1::Graph::ONNX) return;
    const Operator& op = GetOperator(step.op);
    if (step.outputs[0].quantized || op.outputs.empty() || (op.traits & kNoData) != 0 || step.op == OpId::kDequantize)
      return;
    const v1::DataType declared = graph_.dtype(step.outputs[0].value);
    const bool resizes =
        step.op == OpId::kResize || step.op == OpId::kResizeNearest || step.op == OpId::kResizeBilinear;
    const bool keeps = (op.traits & (kMovesData | kSelects)) != 0 || resizes;
    if (declared == v1::DATA_TYPE_UNSPECIFIED ? !keeps : declared != step.inputs[0].type) return;
    const int32_t value = step.outputs[0].value;
    step.outputs[0] = step.inputs[0];
    step.outputs[0].value = value;
    step.outputs[0].port = 0;
    step.outputs[0].quantizer = -1;
  }

  // ONNX moves stored integers whatever was meant by each: a constant that fills the gaps of a Where has no parameters.
  static void BorrowParameters(Step& step) {
    const Operator& op = GetOperator(step.op);
    const Slot& result = step.outputs[0];
    for (Slot& slot : step.inputs) {
      const auto port = static_cast<size_t>(slot.port);
      if (slot.value < 0 || port >= op.inputs.size() || op.inputs[port].role != PortRole::kActivation) continue;
      if (slot.quantized && slot.type == result.type && SameParameters(slot.q, result.q)) continue;
      const Slot own = slot;
      slot = result;
      slot.value = own.value;
      slot.port = own.port;
      slot.borrowed = true;
    }
  }

  // A Quantize that is not part of its producer after all.
  void AddQuantize(int32_t node) {
    const Operand* operand = resolved_.quantizer(node);
    if (operand == nullptr || graph_.num_outputs(node) == 0) return;
    Step step;
    step.node = node;
    step.op = OpId::kQuantize;
    step.inputs.push_back({.value = QuantizerInputsOf(graph_, node).data});
    step.outputs.push_back(SlotOf(graph_, resolved_, *operand, graph_.output(node, 0)));
    steps_.push_back(std::move(step));
  }

  void FindLastReads() {
    std::vector<int> last(graph_.num_values(), -1);
    for (size_t i = 0; i < steps_.size(); ++i) {
      const auto reads = [&](int32_t value) {
        if (value >= 0) last[value] = static_cast<int>(i);
      };
      const int32_t node = steps_[i].node;
      for (const Slot& slot : steps_[i].inputs) {
        reads(slot.value);
        if (slot.quantizer < 0) continue;
        for (int k = 0; k < graph_.num_inputs(slot.quantizer); ++k) reads(graph_.input(slot.quantizer, k));
      }
      for (int k = 0; k < graph_.num_inputs(node); ++k) {
        const int32_t value = graph_.input(node, k);
        reads(value);
        const int32_t producer = value < 0 ? -1 : graph_.producer(value);
        if (!IsDequantize(graph_, producer)) continue;
        for (int argument = 0; argument < graph_.num_inputs(producer); ++argument) {
          reads(graph_.input(producer, argument));
        }
      }
      if (IsControlFlow(graph_, node)) {
        for (int32_t value : CapturedValues(graph_, node)) reads(value);
      }
      for (const Slot& slot : steps_[i].outputs) reads(slot.value);
    }
    for (int32_t value = 0; value < graph_.num_values(); ++value) {
      if (last[value] >= 0 && !graph_.is_graph_output(value)) steps_[last[value]].last_reads.push_back(value);
    }
  }

  const Graph& graph_;
  const ResolvedGraph& resolved_;
  std::vector<Step> steps_;
};

}  // namespace

bool HasLateZeroPoint(const Graph& graph, int32_t quantizer) {
  if (quantizer < 0) return false;
  const int32_t zero_point = QuantizerInputsOf(graph, quantizer).zero_point;
  return zero_point >= 0 && !graph.is_constant(zero_point);
}

Quantization QuantizationOf(const QuantParams* params, int rank) {
  Quantization q;
  if (params == nullptr) return q;
  q.scales.assign(params->scales.begin(), params->scales.end());
  const auto is_zero = [](double zero_point) { return zero_point == 0; };
  // Zeros of all channels go without saying.
  const bool unsaid = params->zero_points.size() > 1 && params->zero_points.size() == params->scales.size() &&
                      std::all_of(params->zero_points.begin(), params->zero_points.end(), is_zero);
  q.zero_points.reserve(unsaid ? 0 : params->zero_points.size());
  for (double zero_point : params->zero_points) {
    if (unsaid) break;
    // Real zero points are of formats that no integer kernel takes.
    constexpr double kExact = 1LL << 53;
    if (!(std::abs(zero_point) <= kExact) || zero_point != std::trunc(zero_point)) return {};
    q.zero_points.push_back(static_cast<int64_t>(zero_point));
  }
  if (params->axes.empty()) return q;
  if (!params->blocked()) {
    if (params->axes.size() != 1) return {};
    q.axis = params->axes[0] < 0 && rank > 0 ? params->axes[0] + rank : params->axes[0];
    return q;
  }
  // One axis in blocks, the others element by element.
  for (size_t i = 0; i < params->axes.size() && i < params->block_sizes.size(); ++i) {
    if (params->block_sizes[i] <= 1) continue;
    if (q.axis >= 0) return {};
    q.axis = params->axes[i];
    q.block = params->block_sizes[i];
  }
  if (q.axis < 0) return {};
  if (!params->block_scales.empty()) {
    // Nested: a scale per channel, times one per block.
    const size_t blocks = params->block_scales.size() / std::max<size_t>(params->scales.size(), 1);
    if (blocks == 0 || blocks * params->scales.size() != params->block_scales.size()) return {};
    q.scales.clear();
    for (size_t i = 0; i < params->block_scales.size(); ++i) {
      q.scales.push_back(static_cast<float>(params->scales[i / blocks] * params->block_scales[i]));
    }
    if (q.zero_points.size() > 1) q.zero_points.clear();
  }
  return q;
}

std::vector<Step> MakePlan(const Graph& graph, const ResolvedGraph& resolved) { return Planner(graph, resolved).Run(); }

}  // namespace quantgate::simulator
