#include <algorithm>

#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// An attribute that counts sizes, from the end when it is negative.
int64_t PlaceIn(const NodeShapes& node, absl::string_view attribute, int64_t rank, int64_t fallback) {
  const int64_t at = node.integer(attribute, fallback);
  return std::clamp<int64_t>(at < -rank ? 0 : at < 0 ? at + rank : at, 0, rank);
}

void InferShapeOf(NodeShapes& node) {
  const Shape input = node.at(0);
  if (!input.known) return node.Give(0, {kAnySize});
  node.Give(0, {std::max<int64_t>(0, ShapeEnd(node, input.rank()) - ShapeStart(node, input.rank()))});
}

void InferFill(NodeShapes& node) {
  const auto sizes = node.constant(0);
  if (node.graph().op_type(node.node()) != "ConstantOfShape" || !sizes || sizes->size() > kMaxRank) return;
  if (std::any_of(sizes->begin(), sizes->end(), [](int64_t size) { return size < 0 || size > kMaxSize; })) return;
  node.Give(0, Dims(sizes->begin(), sizes->end()));
}

void InferRange(NodeShapes& node) {
  const auto start = node.constant(0);
  const auto end = node.constant(1);
  const auto step = node.constant(2);
  const auto one = [](const auto& numbers) { return numbers && numbers->size() == 1; };
  if (!one(start) || !one(end) || !one(step) || (*step)[0] == 0) return node.Give(0, {kAnySize});
  int64_t span;
  if (__builtin_sub_overflow((*end)[0], (*start)[0], &span) || (span == INT64_MIN && (*step)[0] == -1)) {
    return node.Give(0, {kAnySize});
  }
  const int64_t count = span / (*step)[0] + (span % (*step)[0] != 0 && (span < 0) == ((*step)[0] < 0) ? 1 : 0);
  node.Give(0, {std::clamp<int64_t>(count, 0, kMaxSize)});
}

}  // namespace

int64_t ShapeStart(const NodeShapes& node, int64_t rank) { return PlaceIn(node, "start", rank, 0); }
int64_t ShapeEnd(const NodeShapes& node, int64_t rank) { return PlaceIn(node, "end", rank, rank); }

bool InferGenerating(NodeShapes& node) {
  switch (node.graph().op(node.node())) {
    case OpId::kShape:
      InferShapeOf(node);
      return true;
    case OpId::kSize:
      node.Give(0, {});
      return true;
    case OpId::kFill:
      InferFill(node);
      return true;
    case OpId::kRange:
      InferRange(node);
      return true;
    default:
      return false;
  }
}

}  // namespace quantgate
