#include "rules/backends/shared_encoding.h"

#include "absl/algorithm/container.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

const Operand* Quantized(absl::Span<const Operand> operands, int32_t value) {
  const auto* found = absl::c_find_if(
      operands, [value](const Operand& operand) { return operand.quantized && operand.edge_value == value; });
  return found == operands.end() ? nullptr : found;
}

}  // namespace

const Operand* SharedEncoding(const CheckContext& context, const Operand& operand) {
  const Graph& graph = context.graph();
  const ResolvedGraph& resolved = context.resolved();
  const int32_t value = operand.edge_value;
  if (graph.origin() != v1::Graph::PT2E || graph.message().specs().empty()) return nullptr;
  if (!operand.present || operand.quantized || value < 0 || !IsFloat(operand.type) || graph.is_constant(value)) {
    return nullptr;
  }
  const auto op_of = [&](int32_t node) {
    const int32_t op = node < 0 ? -1 : resolved.op_of_node(node);
    return op < 0 ? nullptr : &resolved.ops()[op];
  };
  const ResolvedOp* writer = op_of(graph.producer(value));
  const Operand* encoding = writer == nullptr ? nullptr : Quantized(resolved.outputs(*writer), value);
  if (encoding != nullptr) return encoding;
  for (const Use& use : graph.uses(value)) {
    const ResolvedOp* reader = op_of(use.node);
    const Operand* read = reader == nullptr ? nullptr : Quantized(resolved.inputs(*reader), value);
    if (read != nullptr) encoding = read;
  }
  return encoding;
}

bool SharesEncoding(const CheckContext& context, const ResolvedOp& op) {
  const auto shares = [&](const Operand& operand) { return SharedEncoding(context, operand) != nullptr; };
  return absl::c_any_of(context.resolved().inputs(op), shares) ||
         absl::c_any_of(context.resolved().outputs(op), shares);
}

}  // namespace quantgate
