#include "rules/backends/qnn_htp/executorch/one_dimension.h"

#include "absl/strings/match.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn/input_encoding.h"
#include "rules/backends/qnn_htp/executorch/runs.h"

namespace quantgate::qnn_htp {

const RuleInfo kPoolWithoutConvert = {
    "EN230",
    "executorch-pool-without-convert",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} {observed}; {allowed}.",
    "PyTorch puts a reshape in front of an average pool over one dimension. ExecuTorch 1.5.1 notes by that reshape's "
    "name that it reads another encoding than is written, and the reshapes that it puts around a convolution over one "
    "dimension change the names of those behind; nor is it noted of a tensor that no annotated node writes. Without a "
    "Convert the reshape is refused, and behind it the export ends with \"An error occurred when running the "
    "'InsertIOQDQ' pass\".",
    "Quantize the pool's input as the node in front writes it.",
    "Fires: conv1d and relu with 16 bits, then avg_pool1d with 8, with the toolchain executorch. Does not: the same "
    "without conv1d, or with 8 bits in all three.",
};

const RuleInfo kBlocksOfConv1d = {
    "EN231",
    "executorch-blocks-of-conv1d",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "ExecuTorch 1.5.1 makes a conv2d of a conv1d, whose filter gets a dimension and whose block size does not: the "
    "pass that lays out ends with \"Got input dim:4, block_size: [1, 4, 1]\".",
    "Quantize the filter per channel, or write the convolution as a conv2d of height 1.",
    "Fires: aten.conv1d.default with a filter in blocks of [1, 4, 1], with the toolchain executorch. Does not: the "
    "same filter per channel; aten.conv2d.default in blocks of [1, 4, 1, 1].",
};

namespace {

bool IsConv1d(absl::string_view type) {
  return absl::StartsWith(type, "aten.conv1d.") || absl::StartsWith(type, "aten.conv_transpose1d.");
}

// As PyTorch lists its nodes: names are changed in that order.
struct FirstConv1d {
  int32_t node = 0;
};

FirstConv1d FirstConv1dOf(const CheckContext& context) {
  const Graph& graph = context.graph();
  FirstConv1d first;
  while (first.node < graph.num_nodes() && !IsConv1d(graph.op_type(first.node))) ++first.node;
  return first;
}

bool IsAveragePool1d(absl::string_view type) {
  return type == "aten.avg_pool1d.default" || type == "aten.adaptive_avg_pool1d.default";
}

}  // namespace

bool FindPoolWithoutConvert(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E || !IsAveragePool1d(graph.op_type(op.node))) return false;
  const Operand* input = NodeView(context, op, nullptr).input(0);
  if (input == nullptr) return false;
  const bool not_noted = qnn::ReadingOf(context, *input) != nullptr;
  const bool renamed = qnn::OtherWriting(context, *input) != nullptr && context.Once(FirstConv1dOf).node < op.node;
  if (!not_noted && !renamed) return false;
  Place place;
  place.node = op.node;
  place.input = input->argument;
  place.value = input->value;
  sink.Add(kPoolWithoutConvert, place, "is read with another encoding than the tensor has",
           not_noted ? "ExecuTorch 1.5.1 puts a Convert behind annotated nodes alone"
                     : "ExecuTorch 1.5.1 puts no Convert there behind a convolution over one dimension",
           OfTheRuns());
  return true;
}

bool FindBlocksOfConv1d(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!IsConv1d(graph.op_type(op.node))) return false;
  const Operand* filter = NodeView(context, op, nullptr).input(1);
  if (filter == nullptr || !filter->quantized) return false;
  const QuantParams* qparams = context.resolved().qparams(*filter);
  const bool stated = filter->spec >= 0 && !graph.message().specs(filter->spec).block_size().empty();
  if (!stated && (qparams == nullptr || qparams->block_sizes.empty())) return false;
  Place place;
  place.node = op.node;
  place.input = filter->argument;
  place.value = filter->value;
  sink.Add(kBlocksOfConv1d, place, "a filter in blocks", "ExecuTorch 1.5.1 lowers blocks over two dimensions alone",
           OfTheRuns());
  return true;
}

}  // namespace quantgate::qnn_htp
