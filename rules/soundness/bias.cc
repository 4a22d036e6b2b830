#include "rules/soundness/bias.h"

#include "rules/graph/port_role.h"

namespace quantgate {
namespace {

bool IsBiasType(v1::DataType type) { return type == v1::DATA_TYPE_INT32 || type == v1::DATA_TYPE_INT64; }

}  // namespace

std::vector<QuantizedBias> QuantizedBiases(const CheckContext& context) {
  std::vector<QuantizedBias> found;
  const ResolvedGraph& resolved = context.resolved();
  for (const ResolvedOp& op : resolved.ops()) {
    if (op.op == nullptr || (op.op->traits & kAccumulates) == 0) continue;
    QuantizedBias entry;
    const size_t first = found.size();
    int weights = 0;
    for (const Operand& operand : resolved.inputs(op)) {
      if (!operand.quantized) continue;
      switch (RoleOf(op, operand)) {
        case PortRole::kBias:
          if (!IsBiasType(operand.type) || resolved.qparams(operand) == nullptr) break;
          found.emplace_back().bias = &operand;
          break;
        case PortRole::kWeight:
          entry.weight = resolved.qparams(operand);
          ++weights;
          break;
        case PortRole::kActivation:
          // MatMul has two activations; its bias, if any, follows from both.
          (entry.input == nullptr ? entry.input : entry.weight) = resolved.qparams(operand);
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
      if (beta != 0) entry.factor = context.graph().float_attribute(op.node, "alpha", 1) / beta;
    }
    for (size_t i = first; i < found.size(); ++i) {
      entry.bias = found[i].bias;
      entry.params = resolved.qparams(*entry.bias);
      entry.place.node = op.node;
      entry.place.input = entry.bias->argument;
      entry.place.value = entry.bias->value;
      found[i] = entry;
    }
  }
  return found;
}

}  // namespace quantgate
