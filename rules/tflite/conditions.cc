#include "rules/tflite/conditions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

bool SameShape(const Shape& a, const Shape& b) {
  bool same = a.rank() == b.rank();
  for (int d = 0; same && d < a.rank(); ++d) same = a.dims[d] < 0 || b.dims[d] < 0 || a.dims[d] == b.dims[d];
  return same;
}

}  // namespace

int64_t SizeAt(const Shape& shape, int64_t dim) {
  return shape.known && dim >= 0 && dim < shape.rank() ? shape.dims[dim] : -1;
}
int64_t CountOrUnknown(const Shape& shape) { return shape.is_static() ? CountOf(shape.dims).value_or(-1) : -1; }
int64_t LastSize(const Shape& shape) { return shape.known && shape.rank() > 0 ? shape.dims.back() : -1; }

std::string BelowSize(int64_t size, int64_t axis) {
  return absl::StrCat("below ", size, ", the size along axis ", axis);
}

void RankIs(NodeShapes& node, int argument, int rank) {
  const Shape shape = node.at(argument);
  if (!shape.known || shape.rank() == rank) return;
  node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), absl::StrCat("rank ", rank));
}

void Vectors(NodeShapes& node, int first, int last) {
  for (int argument = first; argument <= last; ++argument) RankIs(node, argument, 1);
}

void CountIs(NodeShapes& node, int argument, int64_t count, absl::string_view what) {
  const int64_t stated = CountOrUnknown(node.at(argument));
  if (stated < 0 || stated == count) return;
  node.Conflict(argument, absl::StrCat(stated, " ", what), absl::StrCat(count));
}

bool AtLeast(NodeShapes& node, int argument, int64_t least, absl::string_view what) {
  const auto numbers = node.constant(argument);
  if (!numbers || numbers->empty()) return true;
  const int64_t smallest = *std::min_element(numbers->begin(), numbers->end());
  if (smallest < least) node.BadParameter(absl::StrCat(what, " of ", smallest), absl::StrCat(least, " or more"));
  return smallest >= least;
}

void AxesAt(NodeShapes& node, int argument, int data) {
  const Shape shape = node.at(data);
  const auto axes = node.constant(argument);
  if (!shape.known || !axes) return;
  for (int64_t axis : *axes) {
    if (node.Axis(axis, shape.rank()) < 0) return;
  }
}

void SameShapes(NodeShapes& node) {
  const Shape first = node.at(0);
  for (int i = 1; first.known && i < node.num_inputs(); ++i) {
    const Shape shape = node.at(i);
    if (!shape.known || SameShape(shape, first)) continue;
    node.Conflict(i, absl::StrCat("shape ", ShapeText(shape.dims)),
                  absl::StrCat("that of the first, ", ShapeText(first.dims)));
    return;
  }
}

void Broadcast(NodeShapes& node, int left, int right, int but_last) {
  const Shape a = node.at(left), b = node.at(right);
  if (!a.known || !b.known) return;
  for (int i = but_last + 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const int64_t one = a.dims[a.rank() - i], other = b.dims[b.rank() - i];
    if (one < 0 || other < 0 || one == other || one == 1 || other == 1) continue;
    node.Conflict(right, absl::StrCat("shape ", ShapeText(b.dims)),
                  absl::StrCat("one that spreads over ", ShapeText(a.dims)));
    return;
  }
}

}  // namespace quantgate
