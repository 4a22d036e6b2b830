#include "rules/values/views.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

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

bool WritesInPlace(const Graph& graph, int32_t node) {
  if (graph.origin() != v1::Graph::PT2E) return false;
  absl::string_view name = graph.op_type(node);  // aten.index_put_.default
  name = name.substr(0, name.rfind('.'));
  // __and__ gives a new tensor, __iand__ does not.
  if (absl::EndsWith(name, "__")) return absl::StrContains(name, ".__i");
  return absl::EndsWith(name, "_");
}

bool Assigns(const Graph& graph, int32_t node) {
  return graph.num_inputs(node) > 0 && WritesInPlace(graph, node) && !IsView(graph, node);
}

bool IsWrittenBuffer(const Graph& graph, int32_t node, int i) {
  int32_t value = graph.input(node, i);
  if (value < 0 || graph.argument(node, i) != 0 || !graph.is_static(value) || !WritesInPlace(graph, node)) return false;
  // A view of a buffer counts, one of a fill does not.
  constexpr int kLongestChain = 64;
  for (int step = 0; step < kLongestChain && value >= 0 && !graph.is_constant(value); ++step) {
    const int32_t producer = graph.producer(value);
    value = producer >= 0 && graph.num_inputs(producer) > 0 ? graph.input(producer, 0) : -1;
  }
  return value >= 0 && graph.is_constant(value);
}

}  // namespace quantgate
