// Constant indices of Gather, Scatter and their like that count no element: there are `size` from 0, and from the end
// those from -size to -1. Runtimes end the run there, or read what lies beside the tensor.
#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "rules/graph/elements.h"
#include "rules/onnx/functions.h"
#include "rules/values/attained_range.h"

namespace quantgate {
namespace {

// Null: not given, or not the same in every run.
const v1::Value* Fixed(const NodeShapes& node, int argument) {
  if (!node.given(argument)) return nullptr;
  const int32_t value = node.graph().input(node.node(), argument);
  const bool fixed = node.graph().is_constant(value) && !node.graph().is_graph_input(value);
  return fixed ? &node.graph().value(value) : nullptr;
}

bool IsOutside(double index, int64_t size) {
  return index < -static_cast<double>(size) || index >= static_cast<double>(size);
}

// `axis` of the data, which has `size` elements there.
void NoteOutside(NodeShapes& node, int argument, double index, int axis, int64_t size) {
  // Beyond that a double is no exact integer, and may be none of 64 bits.
  constexpr double kExact = 9007199254740992;
  const std::string stated =
      std::fabs(index) < kExact ? absl::StrCat(static_cast<int64_t>(index)) : absl::StrCat(index);
  const std::string allowed = size == 0 ? absl::StrCat("none: axis ", axis, " has no elements")
                                        : absl::StrCat(-size, " to ", size - 1, ", the elements of axis ", axis);
  node.Conflict(argument, absl::StrCat("index ", stated), allowed).when_run = true;
}

void CheckAlongAxis(NodeShapes& node) {
  const Shape data = node.at(0);
  const v1::Value* indices = Fixed(node, 1);
  if (!data.known || indices == nullptr) return;
  const int64_t rank = data.rank();
  const int64_t stated = node.integer("axis", 0);
  const int64_t axis = stated < 0 ? stated + rank : stated;
  if (axis < 0 || axis >= rank || data.dims[axis] < 0) return;
  const AttainedRange range = RangeOfElements(*indices);
  if (!range.known) return;
  for (double index : {range.low, range.high}) {
    if (!IsOutside(index, data.dims[axis])) continue;
    NoteOutside(node, 1, index, static_cast<int>(axis), data.dims[axis]);
    return;
  }
}

// Where it is known how far indices go and not which of them goes there: beyond the largest axis is beyond each.
void CheckLargest(NodeShapes& node, const Shape& data, const v1::Value& indices, int64_t batch, int64_t length) {
  const auto counted = data.dims.subspan(batch, length);
  const auto largest = std::max_element(counted.begin(), counted.end());
  const AttainedRange range = RangeOfElements(indices);
  if (!range.known || *std::min_element(counted.begin(), counted.end()) < 0) return;
  for (double index : {range.low, range.high}) {
    if (!IsOutside(index, *largest)) continue;
    NoteOutside(node, 1, index, static_cast<int>(batch + (largest - counted.begin())), *largest);
    return;
  }
}

// The last dimension of the indices counts along as many axes of the data, behind those of the batch.
void CheckTuples(NodeShapes& node) {
  const Shape data = node.at(0);
  const Shape shape = node.at(1);
  const v1::Value* indices = Fixed(node, 1);
  if (!data.known || !shape.is_static() || shape.dims.empty() || indices == nullptr) return;
  const int64_t length = shape.dims.back();
  const int64_t batch = node.integer("batch_dims", 0);
  if (length < 1 || batch < 0 || batch > data.rank() || length > data.rank() - batch) return;
  const IntegerView numbers = IntegersOf(*indices);
  if (numbers.empty()) return CheckLargest(node, data, *indices, batch, length);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int axis = static_cast<int>(batch + static_cast<int64_t>(i) % length);
    const int64_t size = data.dims[axis];
    if (size < 0 || !IsOutside(static_cast<double>(numbers[i]), size)) continue;
    NoteOutside(node, 1, static_cast<double>(numbers[i]), axis, size);
    return;
  }
}

}  // namespace

void CheckIndices(NodeShapes& node) {
  switch (node.graph().op(node.node())) {
    case OpId::kGather:
      if (node.graph().op_type(node.node()) == "Gather") CheckAlongAxis(node);
      return;
    case OpId::kGatherElements:
    case OpId::kScatterElements:
      CheckAlongAxis(node);
      return;
    case OpId::kGatherNd:
    case OpId::kScatterNd:
      CheckTuples(node);
      return;
    default:
      return;
  }
}

}  // namespace quantgate
