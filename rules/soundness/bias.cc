#include "rules/soundness/bias.h"

#include "absl/algorithm/container.h"
#include "rules/graph/port_role.h"
#include "rules/graph/quantizer.h"
#include "rules/values/bounds.h"

namespace quantgate {
namespace {

bool IsBiasType(v1::DataType type) { return type == v1::DATA_TYPE_INT32 || type == v1::DATA_TYPE_INT64; }

bool IsFolded(OpId op) {
  return op == OpId::kRelu || op == OpId::kRelu6 || op == OpId::kClamp || op == OpId::kIdentity;
}

// Whether what a Quantize writes lies between the bounds of a tensor: it clamps to no less than what was in front.
bool ClampsAsWell(const CheckContext& context, int32_t quantize, const Bounds& bounds) {
  const Operand* written = context.resolved().quantizer(quantize);
  const QuantParams* params = written == nullptr ? nullptr : context.resolved().qparams(*written);
  if (params == nullptr || params->scales.size() != 1) return false;
  const auto real = [&](int64_t stored) {
    return params->scales[0] * (static_cast<double>(stored) - params->zero_point(0));
  };
  return real(written->quant_min) >= bounds.low && real(written->quant_max) <= bounds.high;
}

// Whether all that reads the operator's result is a Quantize, behind what is folded into the operator: activations that
// cut nothing off that the Quantize would keep.
bool IsQuantizedBehindActivation(const CheckContext& context, int32_t node) {
  constexpr int kMostFolded = 4;
  const Graph& graph = context.graph();
  bool cuts = false;
  for (int i = 0; i <= kMostFolded && graph.num_outputs(node) > 0; ++i) {
    const int32_t value = graph.output(node, 0);
    if (value < 0 || graph.is_graph_output(value) || graph.uses(value).empty()) return false;
    const auto quantizes = [&](const Use& use) { return use.input == 0 && graph.op(use.node) == OpId::kQuantize; };
    if (absl::c_all_of(graph.uses(value), quantizes)) {
      if (!cuts) return i > 0;
      const Bounds& bounds = context.Once(BoundsOf)[value];
      return bounds.known &&
             absl::c_all_of(graph.uses(value), [&](const Use& use) { return ClampsAsWell(context, use.node, bounds); });
    }
    if (graph.uses(value).size() > 1) return false;
    node = graph.uses(value)[0].node;
    if (!IsFolded(graph.op(node))) return false;
    cuts = cuts || graph.op(node) != OpId::kIdentity;
  }
  return false;
}

}  // namespace

const Operand* StoredOperand(const CheckContext& context, const Operand& input) {
  if (input.quantized) return &input;
  const Graph& graph = context.graph();
  const int32_t producer = input.value < 0 ? -1 : graph.producer(input.value);
  return IsDequantize(graph, producer) ? context.resolved().quantizer(producer) : nullptr;
}

std::vector<QuantizedBias> QuantizedBiases(const CheckContext& context) {
  std::vector<QuantizedBias> found;
  const ResolvedGraph& resolved = context.resolved();
  for (const ResolvedOp& op : resolved.ops()) {
    if (op.op == nullptr || (op.op->traits & kAccumulates) == 0) continue;
    QuantizedBias entry;
    const size_t first = found.size();
    int weights = 0;
    const bool is_folded = !context.graph().quantizers().empty() && IsQuantizedBehindActivation(context, op.node);
    for (const Operand& operand : resolved.inputs(op)) {
      const Operand* stored = operand.quantized || is_folded ? StoredOperand(context, operand) : nullptr;
      if (stored == nullptr || !stored->quantized) continue;
      switch (RoleOf(op, operand)) {
        case PortRole::kBias:
          if (!IsBiasType(stored->type) || resolved.qparams(*stored) == nullptr) break;
          found.emplace_back().bias = stored;
          found.back().place.input = operand.argument;
          break;
        case PortRole::kWeight:
          entry.weight = resolved.qparams(*stored);
          ++weights;
          break;
        case PortRole::kActivation:
          // MatMul has two activations; its bias, if any, follows from both.
          (entry.input == nullptr ? entry.input : entry.weight) = resolved.qparams(*stored);
          break;
        default:
          break;
      }
    }
    if (found.size() == first) continue;
    // With a weight for each gate (LSTM) each bias has one of them.
    if (weights > 1) entry.weight = nullptr;
    // The bias of QGemm has no scale of its own: it is read with the one that fits, alpha included.
    if (op.op->id == OpId::kGemm && !context.graph().binding(op.node)->integer_operator) {
      const double beta = context.graph().float_attribute(op.node, "beta", 1);
      if (beta != 0) {
        entry.factor = context.graph().float_attribute(op.node, "alpha", 1) / beta;
        entry.beta = beta;
      }
    }
    for (size_t i = first; i < found.size(); ++i) {
      entry.bias = found[i].bias;
      entry.params = resolved.qparams(*entry.bias);
      entry.place.node = op.node;
      entry.place.input = found[i].place.input;
      entry.place.value = entry.bias->value;
      found[i] = entry;
    }
  }
  return found;
}

}  // namespace quantgate
