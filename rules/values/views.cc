#include "rules/values/views.h"

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "rules/graph/written_buffer.h"

namespace quantgate {
namespace {

constexpr absl::string_view kViews[] = {
    "aten.adjoint.default",
    "aten.alias.default",
    "aten.as_strided.default",
    "aten.as_strided_.default",
    "aten.atleast_1d.default",
    "aten.atleast_2d.default",
    "aten.atleast_3d.default",
    "aten.broadcast_to.default",
    "aten.chunk.default",
    "aten.detach.default",
    "aten.detach_.default",
    "aten.diagonal.default",
    "aten.dsplit.array",
    "aten.dsplit.int",
    "aten.expand.default",
    "aten.expand_as.default",
    "aten.hsplit.array",
    "aten.hsplit.int",
    "aten.mT.default",
    "aten.matrix_H.default",
    "aten.moveaxis.int",
    "aten.moveaxis.intlist",
    "aten.movedim.int",
    "aten.movedim.intlist",
    "aten.narrow.default",
    "aten.numpy_T.default",
    "aten.permute.default",
    "aten.positive.default",
    "aten.real.default",
    "aten.rename_.default",
    "aten.requires_grad_.default",
    "aten.select.int",
    "aten.slice.Tensor",
    "aten.split.Tensor",
    "aten.split.sizes",
    "aten.split_with_sizes.default",
    "aten.squeeze.default",
    "aten.squeeze.dim",
    "aten.squeeze.dims",
    "aten.squeeze_.default",
    "aten.squeeze_.dim",
    "aten.squeeze_.dims",
    "aten.swapaxes.default",
    "aten.swapaxes_.default",
    "aten.swapdims.default",
    "aten.swapdims_.default",
    "aten.t.default",
    "aten.t_.default",
    "aten.tensor_split.indices",
    "aten.tensor_split.sections",
    "aten.transpose.int",
    "aten.transpose_.default",
    "aten.unbind.int",
    "aten.unflatten.int",
    "aten.unfold.default",
    "aten.unsafe_chunk.default",
    "aten.unsqueeze.default",
    "aten.unsqueeze_.default",
    "aten.view.default",
    "aten.view.dtype",
    "aten.view_as.default",
    "aten.vsplit.array",
    "aten.vsplit.int",
};

}  // namespace

bool IsView(const Graph& graph, int32_t node) {
  return graph.op(node) == OpId::kGetItem || absl::c_linear_search(kViews, graph.op_type(node));
}

bool Assigns(const Graph& graph, int32_t node) {
  return graph.num_inputs(node) > 0 && WritesInPlace(graph, node) && !IsView(graph, node);
}

}  // namespace quantgate
