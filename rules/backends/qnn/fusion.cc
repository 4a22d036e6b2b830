#include "rules/backends/qnn/fusion.h"

namespace quantgate::qnn {
namespace {

const Operand* OnlyOutput(const CheckContext& context, const ResolvedOp& op) {
  return op.output_count == 1 ? &context.resolved().outputs(op)[0] : nullptr;
}

bool IsConvolution(const ResolvedOp& op) {
  return op.op != nullptr && (op.op->id == OpId::kConv || op.op->id == OpId::kConvTranspose);
}

}  // namespace

const Operand* BatchNormOutputOf(const CheckContext& context, const ResolvedOp& convolution) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E || !IsConvolution(convolution)) return nullptr;
  const Operand* own = OnlyOutput(context, convolution);
  if (own == nullptr || own->quantized || own->value < 0) return nullptr;
  const Use* use = graph.only_use(own->value);
  if (use == nullptr || use->input != 0 || graph.op(use->node) != OpId::kBatchNorm) return nullptr;
  const int32_t batch_norm = context.resolved().op_of_node(use->node);
  return batch_norm < 0 ? nullptr : OnlyOutput(context, context.resolved().ops()[batch_norm]);
}

bool IsInConvolution(const CheckContext& context, const ResolvedOp& batch_norm) {
  const Graph& graph = context.graph();
  const int32_t input = graph.num_inputs(batch_norm.node) > 0 ? graph.input(batch_norm.node, 0) : -1;
  const int32_t producer = input < 0 ? -1 : graph.producer(input);
  const int32_t op = producer < 0 ? -1 : context.resolved().op_of_node(producer);
  return op >= 0 && BatchNormOutputOf(context, context.resolved().ops()[op]) != nullptr;
}

}  // namespace quantgate::qnn
