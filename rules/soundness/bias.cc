#include "rules/soundness/bias.h"

namespace quantgate {

std::vector<QuantizedBias> QuantizedBiases(const CheckContext& context) {
  std::vector<QuantizedBias> found;
  const ResolvedGraph& resolved = context.resolved();
  for (const ResolvedOp& op : resolved.ops()) {
    if (op.op == nullptr || (op.op->traits & kAccumulates) == 0) continue;
    QuantizedBias entry;
    for (const Operand& operand : resolved.inputs(op)) {
      if (!operand.present || !operand.quantized || operand.port >= op.op->inputs.size()) continue;
      switch (op.op->inputs[operand.port].role) {
        case PortRole::kBias:
          if (operand.type == v1::DATA_TYPE_INT32) entry.bias = &operand;
          break;
        case PortRole::kWeight:
          entry.weight = resolved.qparams(operand);
          break;
        case PortRole::kActivation:
          // MatMul has two activations; its bias, if any, follows from both.
          (entry.input == nullptr ? entry.input : entry.weight) = resolved.qparams(operand);
          break;
        default:
          break;
      }
    }
    if (entry.bias == nullptr || resolved.qparams(*entry.bias) == nullptr) continue;
    entry.params = resolved.qparams(*entry.bias);
    if (op.op->id == OpId::kGemm) {
      const double beta = context.graph().float_attribute(op.node, "beta", 1);
      if (beta != 0) entry.factor = context.graph().float_attribute(op.node, "alpha", 1) / beta;
    }
    entry.place.node = op.node;
    entry.place.input = entry.bias->argument;
    entry.place.value = entry.bias->value;
    found.push_back(entry);
  }
  return found;
}

}  // namespace quantgate
