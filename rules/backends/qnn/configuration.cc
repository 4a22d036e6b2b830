#include "rules/backends/qnn/configuration.h"

#include "rules/backends/qnn/fusion.h"
#include "rules/backends/qnn/tensor.h"

namespace quantgate::qnn {
namespace {

void AddOperand(const Graph& graph, const Operand& operand, std::vector<int32_t>& configuration) {
  const bool constant = operand.value >= 0 && graph.is_constant(operand.value);
  const int32_t flags = operand.present | operand.quantized << 1 | operand.is_static << 2 | operand.static_chain << 3 |
                        operand.annotated_none << 4 | constant << 5 | IsGraphInput(graph, operand) << 6;
  configuration.push_back(operand.form);
  configuration.push_back(operand.value < 0 ? -1 : graph.value_like(operand.value));
  configuration.push_back(operand.type << 16 | operand.port << 8 | flags);
  configuration.push_back(operand.argument);
}

}  // namespace

bool ConfigurationOf(const CheckContext& context, const ResolvedOp& op, std::vector<int32_t>& configuration) {
  // Such a convolution, or its batch norm, depends on more than its own operands.
  if (BatchNormOutputOf(context, op) != nullptr) return false;
  if (op.op != nullptr && op.op->id == OpId::kBatchNorm && IsInConvolution(context, op)) return false;
  configuration.clear();
  configuration.push_back(context.graph().node_like(op.node));
  // The same node of a file is one operator here and another one there: Quantize behind a Dequantize requantizes.
  configuration.push_back(op.op == nullptr ? -1 : static_cast<int32_t>(op.op->id));
  configuration.push_back(static_cast<int32_t>(op.input_count));
  for (const absl::Span<const Operand> side : {context.resolved().inputs(op), context.resolved().outputs(op)}) {
    for (const Operand& operand : side) {
      if (operand.form == Operand::kFormUnlike) return false;
      AddOperand(context.graph(), operand, configuration);
    }
  }
  return true;
}

}  // namespace quantgate::qnn
