#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

bool Reduces(OpId op) { return op >= OpId::kReduceMean && op <= OpId::kReduceSumSquare; }

void InferReduce(NodeShapes& node) {
  const Shape input = node.port(0);
  if (!input.known) return;
  const bool keep = node.integer("keepdims", 1) != 0;
  const auto axes = node.binding().integer_operator ? node.integers("axes") : node.moved_list("axes", 1);
  if (!axes || axes->size() > kMaxRank) {
    if (keep) node.Give(0, Dims(input.rank(), kAnySize));
    return;
  }
  const bool all = axes->empty();
  if (all && node.integer("noop_with_empty_axes", 0) != 0) {
    node.GiveLike(0, input);
    return;
  }
  Dims reduced(input.rank(), all ? 1 : 0);
  for (int64_t axis : *axes) {
    const int at = node.Axis(axis, input.rank());
    if (at < 0) return;
    reduced[at] = 1;
  }
  Dims dims;
  for (int i = 0; i < input.rank(); ++i) {
    if (reduced[i] == 0) {
      dims.push_back(input.dims[i]);
    } else if (keep) {
      dims.push_back(1);
    }
  }
  node.Give(0, std::move(dims));
}

void InferArg(NodeShapes& node) {
  const Shape input = node.at(0);
  if (!input.known) return;
  const int axis = node.Axis(node.integer("axis", 0), input.rank());
  if (axis < 0) return;
  Dims dims(input.dims.begin(), input.dims.end());
  if (node.integer("keepdims", 1) != 0) {
    dims[axis] = 1;
  } else {
    dims.erase(dims.begin() + axis);
  }
  node.Give(0, std::move(dims));
}

void InferTopK(NodeShapes& node) {
  const Shape input = node.at(0);
  if (!input.known) return;
  const int axis = node.Axis(node.integer("axis", -1), input.rank());
  if (axis < 0) return;
  const auto k = node.constant(1);
  Dims dims(input.dims.begin(), input.dims.end());
  const int64_t size = dims[axis];
  if (k && k->size() == 1 && (*k)[0] < 0) {
    node.Conflict(1, absl::StrCat("k ", (*k)[0]), "at least 0").when_run = true;
    return;
  }
  dims[axis] = k && k->size() == 1 ? (*k)[0] : kAnySize;
  if (size >= 0 && dims[axis] > size) {
    node.Conflict(1, absl::StrCat("k ", dims[axis]), absl::StrCat("at most ", size, ", the size of axis ", axis));
    return;
  }
  node.Give(1, dims);
  node.Give(0, std::move(dims));
}

}  // namespace

bool InferReducing(NodeShapes& node) {
  const OpId op = node.graph().op(node.node());
  if (Reduces(op)) {
    InferReduce(node);
    return true;
  }
  switch (op) {
    case OpId::kArgMax:
    case OpId::kArgMin:
      InferArg(node);
      return true;
    case OpId::kTopK:
      InferTopK(node);
      return true;
    default:
      return false;
  }
}

}  // namespace quantgate
