#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "rules/onnx/functions.h"
#include "rules/values/attained_range.h"

namespace quantgate {
namespace {

bool Differ(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; }

void InferPlain(NodeShapes& node) {
  const int a_argument = node.data(0);
  const int b_argument = node.data(1);
  const Shape a = node.at(a_argument);
  const Shape b = node.at(b_argument);
  for (int argument : {a_argument, b_argument}) {
    const Shape shape = node.at(argument);
    if (shape.known && shape.rank() == 0) node.Conflict(argument, "a scalar", "a tensor of rank 1 or more");
  }
  if (!a.known || !b.known || a.rank() == 0 || b.rank() == 0) return;
  const int64_t inner = b.dims[std::max(0, b.rank() - 2)];
  if (Differ(a.dims.back(), inner)) {
    node.Conflict(b_argument, absl::StrCat("shape ", ShapeText(b.dims)),
                  absl::StrCat(a.dims.back(), " rows for the columns of ", ShapeText(a.dims)));
    return;
  }
  Dims dims(a.dims.begin(), a.dims.end() - std::min(2, a.rank()));
  const absl::Span<const int64_t> batch = b.dims.first(b.rank() - std::min(2, b.rank()));
  if (!BroadcastInto(batch, dims)) {
    node.Conflict(b_argument, absl::StrCat("shape ", ShapeText(b.dims)),
                  absl::StrCat("leading sizes that broadcast with those of ", ShapeText(a.dims)));
    return;
  }
  if (a.rank() > 1) dims.push_back(a.dims[a.rank() - 2]);
  if (b.rank() > 1) dims.push_back(b.dims.back());
  node.Give(0, std::move(dims));
}

void InferGemm(NodeShapes& node) {
  Shape matrices[2];
  bool known = true;
  for (int i : {0, 1}) {
    const int argument = node.data(i);
    matrices[i] = node.at(argument);
    if (matrices[i].known && matrices[i].rank() != 2) {
      node.Conflict(argument, absl::StrCat("shape ", ShapeText(matrices[i].dims)), "a matrix");
      return;
    }
    known = known && matrices[i].known;
  }
  if (!known) return;
  const bool trans_a = node.integer("transA", 0) != 0;
  const bool trans_b = node.integer("transB", 0) != 0;
  const absl::Span<const int64_t> a = matrices[0].dims;
  const absl::Span<const int64_t> b = matrices[1].dims;
  if (Differ(a[trans_a ? 0 : 1], b[trans_b ? 1 : 0])) {
    node.Conflict(
        node.data(1), absl::StrCat("shape ", ShapeText(b), trans_b ? ", transposed" : ""),
        absl::StrCat("an inner size of ", a[trans_a ? 0 : 1], " as in ", ShapeText(a), trans_a ? ", transposed" : ""));
    return;
  }
  Dims dims = {a[trans_a ? 1 : 0], b[trans_b ? 0 : 1]};
  const int bias = node.data(2);
  const Shape c = node.at(bias);
  if (c.known && !BroadcastsTo(c.dims, dims)) {
    node.Conflict(bias, absl::StrCat("shape ", ShapeText(c.dims)),
                  absl::StrCat("one that broadcasts to the result ", ShapeText(dims)))
        .when_run = true;
  }
  node.Give(0, std::move(dims));
}

// Which block each of the K columns belongs to, those that fill up the last block included, where MatMulNBits is told.
void CheckGroups(NodeShapes& node, int64_t k) {
  constexpr int kGroups = 4;
  const int64_t block = node.integer("block_size", 0);
  if (node.graph().op_type(node.node()) != "com.microsoft::MatMulNBits" || !node.given(kGroups) || k < 1 || block < 1) {
    return;
  }
  const int64_t blocks = (k - 1) / block + 1;
  const Shape groups = node.at(kGroups);
  if (groups.known && (groups.rank() != 1 || (Differ(groups.dims[0], k) && Differ(groups.dims[0], blocks * block)))) {
    node.Conflict(kGroups, absl::StrCat("group indices of shape ", ShapeText(groups.dims)),
                  absl::StrCat("[", k, "], one for each of K",
                               blocks * block == k ? "" : absl::StrCat(", or [", blocks * block, "], of whole blocks")))
        .when_run = true;
    return;
  }
  const Graph& graph = node.graph();
  const int32_t value = graph.input(node.node(), kGroups);
  if (!graph.is_constant(value) || graph.is_graph_input(value) || graph.dtype(value) != v1::DATA_TYPE_INT32) return;
  const AttainedRange range = RangeOfElements(graph.value(value));
  if (!range.known || (range.low >= 0 && range.high < static_cast<double>(blocks))) return;
  node.Conflict(kGroups, absl::StrCat("group index ", static_cast<int64_t>(range.low < 0 ? range.low : range.high)),
                absl::StrCat("0 to ", blocks - 1, ", the blocks of K=", k))
      .when_run = true;
}

// com.microsoft::MatMulNBits and MatMulBnb4: the sizes of the packed weight are attributes.
void InferPacked(NodeShapes& node) {
  const int64_t k = node.integer("K", -1);
  const int64_t n = node.integer("N", -1);
  const Shape input = node.at(0);
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  for (const char* name : {"K", "N", "block_size"}) {
    const int64_t number = node.integer(name, 1);
    const bool judged_elsewhere = number < 1 && name[0] == 'b';  // block-size
    if ((number >= 1 && number <= kLargest) || judged_elsewhere) continue;
    node.BadParameter(absl::StrCat(name, " ", number), absl::StrCat("1 to ", kLargest));
    return;
  }
  CheckGroups(node, k);
  if (n > 0) {
    const int argument = node.data(2);
    const Shape bias = node.at(argument);
    if (bias.known && (bias.rank() != 1 || Differ(bias.dims[0], n))) {
      node.Conflict(argument, absl::StrCat("a bias of shape ", ShapeText(bias.dims)), absl::StrCat("[", n, "]"));
    }
  }
  if (!input.known || input.rank() == 0 || k < 1 || n < 1 || node.integer("transB", 1) == 0) return;
  if (Differ(input.dims.back(), k)) {
    node.Conflict(0, absl::StrCat("shape ", ShapeText(input.dims)), absl::StrCat("K=", k, " as the last size"));
    return;
  }
  Dims dims(input.dims.begin(), input.dims.end());
  dims.back() = n;
  node.Give(0, std::move(dims));
}

}  // namespace

bool InferMatMul(NodeShapes& node) {
  switch (node.graph().op(node.node())) {
    case OpId::kMatMul:
      // Its weight is a blob of blocks.
      if (node.graph().op_type(node.node()) != "com.microsoft::MatMulFpQ4") InferPlain(node);
      return true;
    case OpId::kGemm:
      InferGemm(node);
      return true;
    case OpId::kLinear:
      InferPacked(node);
      return true;
    default:
      return false;
  }
}

}  // namespace quantgate
