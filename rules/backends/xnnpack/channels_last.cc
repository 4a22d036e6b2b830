#include "rules/backends/xnnpack/channels_last.h"

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "rules/graph/graph.h"
#include "rules/operators/op_id.h"

namespace quantgate::xnnpack {
namespace {

constexpr int kImageRank = 4;

constexpr absl::string_view kRunLast[] = {
    "XNNAvgPooling2d",       "XNNBatchNorm", "XNNConv2d",       "XNNConvTranspose2d", "XNNDepthwiseConv2d",
    "XNNGlobalAvgPooling2d", "XNNMaxDim",    "XNNMaxPooling2d", "XNNPReLU",           "XNNStaticResizeBilinear2D",
};

constexpr absl::string_view kRunFirst[] = {
    "XNNBatchMatrixMultiply",
    "XNNExpandDims",
    "XNNFullyConnected",
    "XNNStaticReshape",
};

// A number becomes a tensor without dimensions, which has no channels to put last.
bool TakesNumber(const CheckContext& context, const ResolvedOp& op) {
  const OpId id = context.graph().op(op.node);
  const bool is_binary = id == OpId::kAdd || id == OpId::kSub || id == OpId::kMul || id == OpId::kDiv;
  return is_binary && absl::c_count_if(context.resolved().inputs(op), [](const Operand& i) { return i.present; }) < 2;
}

}  // namespace

ChannelsLast::ChannelsLast(const CheckContext& context, const Delegates& delegates, const ModuleResult& judged)
    : context_(context),
      delegates_(delegates),
      judged_(judged),
      written_(context.graph().num_values(), Tri::kNo),
      runs_(context.graph().num_nodes(), Tri::kNo) {
  const Graph& graph = context.graph();
  for (const int32_t node : graph.order()) {
    if (delegates.leaves(node)) continue;
    const int32_t index = context.resolved().op_of_node(node);
    Tri layout = Tri::kNo;
    if (delegates.takes(node)) {
      layout = runs_[node] = LayoutOf(context.resolved().ops()[index]);
    } else if (index >= 0 && !judged.ops[index].checked) {
      layout = Tri::kUnknown;
    } else if (graph.num_inputs(node) > 0 && graph.input(node, 0) >= 0) {
      // Conversions, and what is computed inside of the node in front.
      layout = written_[graph.input(node, 0)];
    }
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      if (graph.output(node, i) >= 0) written_[graph.output(node, i)] = layout;
    }
  }
}

Tri ChannelsLast::At(int32_t node, int32_t value) const {
  if (written_[value] == Tri::kNo) return Tri::kNo;
  const int32_t producer = context_.graph().producer(value);
  // Between two delegates a tensor has PyTorch's layout.
  return producer >= 0 && delegates_.same_level(producer, node) ? written_[value] : Tri::kUnknown;
}

Tri ChannelsLast::AsItsInputs(const ResolvedOp& op) const {
  const Graph& graph = context_.graph();
  bool any = false, unknown = false;
  for (const Operand& input : context_.resolved().inputs(op)) {
    if (!input.present || input.edge_value < 0) continue;
    // A constant is written as it is; behind a Dequantize it is a tensor like others.
    const bool stays = graph.is_constant(input.edge_value) && !input.quantized;
    if (stays || graph.value(input.edge_value).dims_size() != kImageRank) return Tri::kNo;
    const Tri layout = At(op.node, input.edge_value);
    any = any || layout == Tri::kYes;
    unknown = unknown || layout == Tri::kUnknown;
  }
  if (any) return Tri::kYes;  // what else there is follows
  return unknown ? Tri::kUnknown : Tri::kNo;
}

Tri ChannelsLast::LayoutOf(const ResolvedOp& op) const {
  const auto& made = judged_.ops[context_.resolved().op_of_node(op.node)].backend_ops;
  if (!made.empty() && absl::c_linear_search(kRunLast, made.back())) return Tri::kYes;
  if (!made.empty() && absl::c_linear_search(kRunFirst, made.back())) return Tri::kNo;
  // Stacking ends in a reshape.
  if (context_.graph().op(op.node) == OpId::kStack || TakesNumber(context_, op)) return Tri::kNo;
  return AsItsInputs(op);
}

}  // namespace quantgate::xnnpack
