#include "rules/tflite/moving_checks.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "rules/tflite/conditions.h"

namespace quantgate {
namespace {

// An option that counts the outputs.
void Outputs(NodeShapes& node, absl::string_view option) {
  const int64_t stated = node.integer(option, 0);
  if (stated == node.num_outputs()) return;
  node.BadParameter(absl::StrCat(option, " ", stated), absl::StrCat(node.num_outputs(), ", its outputs"));
}

void AnAxis(NodeShapes& node, int argument, int data) {
  if (CountOrUnknown(node.at(argument)) == 0) {
    node.Conflict(argument, "no axis", "one");
    return;
  }
  AxesAt(node, argument, data);
}

void UnpackCheck(NodeShapes& node) {
  Outputs(node, "num");
  const Shape shape = node.at(0);
  if (!shape.known) return;
  const int axis = node.Axis(node.integer("axis", 0), shape.rank());
  const int64_t size = axis < 0 ? -1 : shape.dims[axis];
  if (size < 0 || size == node.num_outputs()) return;
  node.Conflict(0, absl::StrCat("shape ", ShapeText(shape.dims)),
                absl::StrCat(node.num_outputs(), " along axis ", axis, ", as there are outputs"));
}

void SplitCheck(NodeShapes& node) {
  Outputs(node, "num_splits");
  AnAxis(node, 0, 1);
}

// Sizes of the parts come to that of the whole; one of them may be open.
void PartsOf(NodeShapes& node, absl::Span<const int64_t> sizes, int64_t whole, int axis) {
  int64_t sum = 0;
  int open = 0;
  for (int64_t size : sizes) {
    if (size == -1) {
      ++open;
    } else if (__builtin_add_overflow(sum, size, &sum)) {
      return;
    }
  }
  if (open > 1) {
    node.BadParameter(absl::StrCat("sizes of ", ShapeText(sizes)), "-1 once at most");
  } else if (open == 1 ? sum > whole : sum != whole) {
    node.BadParameter(absl::StrCat("sizes of ", sum, " in all"),
                      absl::StrCat(whole, open == 1 ? " at most" : "", ", the size along axis ", axis));
  }
}

void SplitInto(NodeShapes& node) {
  Outputs(node, "num_splits");
  CountIs(node, 1, node.num_outputs(), "sizes");
  const size_t before = node.contradictions.size();
  AnAxis(node, 2, 0);
  const Shape shape = node.at(0);
  const auto sizes = node.constant(1), axes = node.constant(2);
  if (node.contradictions.size() != before || !shape.known || !sizes || !axes) return;
  const int axis = node.Axis(axes->front(), shape.rank());
  if (shape.dims[axis] >= 0) PartsOf(node, *sizes, shape.dims[axis], axis);
}

void SliceCheck(NodeShapes& node) {
  Vectors(node, 1, 2);
  const Shape shape = node.at(0);
  for (int argument : {1, 2}) {
    if (shape.known) CountIs(node, argument, shape.rank(), argument == 1 ? "positions" : "sizes");
  }
  AtLeast(node, 1, 0, "a position");
}

void TileCheck(NodeShapes& node) {
  if (const Shape shape = node.at(0); shape.known) CountIs(node, 1, shape.rank(), "multiples");
  AtLeast(node, 1, 0, "a multiple");
}

// Each size has to be 1 or the one that is asked for.
void BroadcastToCheck(NodeShapes& node) {
  Vectors(node, 1, 1);
  const Shape shape = node.at(0);
  const auto asked = node.constant(1);
  if (!AtLeast(node, 1, 0, "a size") || !shape.known || !asked) return;
  const int more = static_cast<int>(asked->size()) - shape.rank();
  bool fits = more >= 0;
  for (int d = 0; fits && d < shape.rank(); ++d) {
    fits = shape.dims[d] < 0 || shape.dims[d] == 1 || shape.dims[d] == (*asked)[more + d];
  }
  if (fits) return;
  node.Conflict(0, absl::StrCat("shape ", ShapeText(shape.dims)),
                absl::StrCat("one that spreads over ", ShapeText(*asked)));
}

void FillCheck(NodeShapes& node) {
  AtLeast(node, 0, 0, "a size");
  RankIs(node, 1, 0);
}

// Kernels have these in 32 bits; products of two are counted in 64.
bool AreSmall(absl::Span<const int64_t> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](int64_t n) { return n >= INT32_MIN && n <= INT32_MAX; });
}

// Blocks, and what is put around the data or taken off, for each dimension between the first and the last. False: not
// so, or not known.
bool HasBlocks(NodeShapes& node) {
  const Shape shape = node.at(0);
  const size_t before = node.contradictions.size();
  AtLeast(node, 1, 1, "a block");
  if (!shape.known) return false;
  if (shape.rank() < 3 || shape.rank() > 4) {
    node.Conflict(0, absl::StrCat("shape ", ShapeText(shape.dims)), "rank 3 or 4");
    return false;
  }
  Vectors(node, 1, 1);
  CountIs(node, 1, shape.rank() - 2, "blocks");
  RankIs(node, 2, 2);
  CountIs(node, 2, int64_t{2} * (shape.rank() - 2), "borders");
  const auto blocks = node.constant(1);
  return node.contradictions.size() == before && shape.is_static() && AreSmall(shape.dims) && blocks &&
         AreSmall(*blocks);
}

// Of a constant in rows of two; empty: not known.
absl::Span<const int64_t> Borders(const NodeShapes& node) {
  if (!node.given(2)) return {};
  const int32_t value = node.graph().input(node.node(), 2);
  if (!node.graph().is_constant(value) || node.graph().is_graph_input(value)) return {};
  const auto& numbers = node.graph().value(value).constant().ints();
  if (numbers.size() != 2 * (node.at(0).rank() - 2)) return {};
  const auto borders = absl::MakeConstSpan(numbers.data(), static_cast<size_t>(numbers.size()));
  return AreSmall(borders) ? borders : absl::Span<const int64_t>();
}

void SpaceToBatch(NodeShapes& node) {
  if (!HasBlocks(node)) return;
  const Shape shape = node.at(0);
  const auto blocks = *node.constant(1);
  const absl::Span<const int64_t> borders = Borders(node);
  for (size_t i = 0; 2 * i < borders.size(); ++i) {
    const int64_t size = shape.dims[i + 1] + borders[2 * i] + borders[2 * i + 1];
    if (size >= 0 && size % blocks[i] == 0) continue;
    node.BadParameter(absl::StrCat("a size of ", size, " along axis ", i + 1), absl::StrCat("blocks of ", blocks[i]));
    return;
  }
}

void BatchToSpace(NodeShapes& node) {
  if (!HasBlocks(node)) return;
  const Shape shape = node.at(0);
  const auto blocks = *node.constant(1);
  const absl::Span<const int64_t> borders = Borders(node);
  int64_t images = shape.dims[0];
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (images % blocks[i] != 0) {
      node.Conflict(0, absl::StrCat("shape ", ShapeText(shape.dims)),
                    absl::StrCat("a first size that divides by the blocks, ", ShapeText(blocks)));
      return;
    }
    images /= blocks[i];
    if (borders.empty()) continue;
    const int64_t before = borders[2 * i], behind = borders[2 * i + 1];
    if (before >= 0 && behind >= 0 && before + behind <= shape.dims[i + 1] * blocks[i]) continue;
    node.BadParameter(absl::StrCat("crops of ", before, " and ", behind, " along axis ", i + 1),
                      absl::StrCat("0 or more, of ", shape.dims[i + 1] * blocks[i]));
    return;
  }
}

void OfImages(NodeShapes& node) { RankIs(node, 0, 4); }

void Largest(NodeShapes& node) {
  CountIs(node, 1, 1, "counts");
  const auto count = node.constant(1);
  const int64_t size = LastSize(node.at(0));
  if (!count || count->size() != 1 || size < 0 || count->front() <= size) return;
  node.BadParameter(absl::StrCat("a count of ", count->front()), absl::StrCat(size, " at most, the last size"));
}

void OneHot(NodeShapes& node) {
  CountIs(node, 1, 1, "depths");
  AtLeast(node, 1, 0, "a depth");
  const Shape indices = node.at(0);
  const int64_t axis = node.integer("axis", 0);
  if (!indices.known || (axis >= -1 && axis <= indices.rank())) return;
  node.BadParameter(absl::StrCat("axis ", axis), absl::StrCat("-1 to ", indices.rank()));
}

void Rows(NodeShapes& node) {
  const auto rows = node.constant(0);
  const int64_t count = SizeAt(node.at(1), 0);
  if (!AtLeast(node, 0, 0, "an index") || !rows || rows->empty() || count < 0) return;
  const int64_t last = *std::max_element(rows->begin(), rows->end());
  if (last >= count) node.BadParameter(absl::StrCat("index ", last), BelowSize(count, 0));
}

void UpdateSlice(NodeShapes& node) {
  const Shape shape = node.at(0);
  if (!shape.known) return;
  RankIs(node, 1, shape.rank());
  CountIs(node, 2, shape.rank(), "positions");
}

// Axes side by side.
void Reverse(NodeShapes& node) {
  const size_t before = node.contradictions.size();
  AnAxis(node, 1, 0);
  const Shape shape = node.at(0);
  const auto axes = node.constant(1);
  if (node.contradictions.size() != before || !shape.known || !axes) return;
  std::vector<int64_t> sorted(axes->begin(), axes->end());
  for (int64_t& axis : sorted) axis += axis < 0 ? shape.rank() : 0;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1] + 1) continue;
    node.BadParameter(absl::StrCat("axes ", sorted[i - 1], " and ", sorted[i]), "axes side by side");
    return;
  }
}

// Of two of one shape; the choice is of that shape, a scalar, or one for each of the first size.
void Select(NodeShapes& node) {
  const Shape choice = node.at(0), left = node.at(1), right = node.at(2);
  if (left.known && right.known && left.dims != right.dims && left.is_static() && right.is_static()) {
    node.Conflict(2, absl::StrCat("shape ", ShapeText(right.dims)), ShapeText(left.dims));
    return;
  }
  if (!choice.is_static() || !left.is_static() || choice.rank() == 0 || choice.dims == left.dims) return;
  if (choice.rank() == 1 && left.rank() > 0 && choice.dims[0] == left.dims[0]) return;
  node.Conflict(0, absl::StrCat("shape ", ShapeText(choice.dims)), ShapeText(left.dims));
}

void Three(NodeShapes& node) {
  const size_t before = node.contradictions.size();
  Broadcast(node, 0, 1);
  if (node.contradictions.size() == before) Broadcast(node, 0, 2);
  if (node.contradictions.size() == before) Broadcast(node, 1, 2);
}

// Slopes spread over the data, and the data over nothing.
void Slopes(NodeShapes& node) {
  const Shape data = node.at(0), slopes = node.at(1);
  if (!data.known || !slopes.known) return;
  bool fits = slopes.rank() <= data.rank();
  for (int i = 1; fits && i <= slopes.rank(); ++i) {
    const int64_t size = slopes.dims[slopes.rank() - i], whole = data.dims[data.rank() - i];
    fits = size < 0 || whole < 0 || size == 1 || size == whole;
  }
  if (fits) return;
  node.Conflict(1, absl::StrCat("shape ", ShapeText(slopes.dims)),
                absl::StrCat("one that spreads over ", ShapeText(data.dims)));
}

}  // namespace

ShapeCheck MovingCheckOf(absl::string_view op_type) {
  static const auto* checks = new absl::flat_hash_map<absl::string_view, ShapeCheck>{
      {"UNPACK", UnpackCheck},
      {"SPLIT", SplitCheck},
      {"SPLIT_V", SplitInto},
      {"SLICE", SliceCheck},
      {"TILE", TileCheck},
      {"BROADCAST_TO", BroadcastToCheck},
      {"FILL", FillCheck},
      {"SPACE_TO_BATCH_ND", SpaceToBatch},
      {"BATCH_TO_SPACE_ND", BatchToSpace},
      {"SPACE_TO_DEPTH", OfImages},
      {"DEPTH_TO_SPACE", OfImages},
      {"TOPK_V2", Largest},
      {"ONE_HOT", OneHot},
      {"EMBEDDING_LOOKUP", Rows},
      {"DYNAMIC_UPDATE_SLICE", UpdateSlice},
      {"REVERSE_V2", Reverse},
      {"SELECT", Select},
      {"SELECT_V2", Three},
      {"PRELU", Slopes},
      {"ADD_N", SameShapes},
  };
  const auto found = checks->find(op_type);
  return found == checks->end() ? nullptr : found->second;
}

}  // namespace quantgate
