#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// Sizes that Reshape is asked for, with its zeros replaced by the input's. False: they contradict themselves.
bool Requested(NodeShapes& node, const Shape& input, absl::Span<const int64_t> asked, bool allow_zero, Dims& dims) {
  bool wildcard = false;
  bool zero = false;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] < -1 || (asked[i] == -1 && wildcard)) {
      node.Conflict(1, absl::StrCat("shape [", absl::StrJoin(asked, ", "), "]"), "sizes, with -1 at most once");
      return false;
    }
    wildcard = wildcard || asked[i] == -1;
    zero = zero || asked[i] == 0;
    if (asked[i] != 0 || allow_zero) {
      dims.push_back(asked[i]);
    } else if (!input.known) {
      dims.push_back(kAnySize);
    } else if (static_cast<int>(i) < input.rank()) {
      dims.push_back(input.dims[i]);
    } else {
      node.Conflict(1, absl::StrCat("0 at position ", i, " of the shape"),
                    absl::StrCat("a position that the input ", ShapeText(input.dims), " has"));
      return false;
    }
  }
  if (wildcard && zero && allow_zero) {
    node.Conflict(1, "0 and -1 in one shape, with allowzero", "one of them");
    return false;
  }
  return true;
}

// Where some of the sizes asked for are known.
void GiveSizesKnown(NodeShapes& node, const Shape& input, absl::Span<const int64_t> asked, bool allow_zero) {
  Dims dims;
  for (size_t i = 0; i < asked.size(); ++i) {
    const bool copied = asked[i] == 0 && !allow_zero;
    const bool there = copied && input.known && static_cast<int>(i) < input.rank();
    dims.push_back(there ? input.dims[i] : copied ? kAnySize : std::max(asked[i], kAnySize));
  }
  node.Give(0, std::move(dims));
}

void InferReshape(NodeShapes& node) {
  const Shape input = node.at(0);
  const auto asked = node.constant(1);
  if (const auto some = node.computed(1); !asked && some && some->size() <= kMaxRank) {
    return GiveSizesKnown(node, input, *some, node.integer("allowzero", 0) != 0);
  }
  if (!asked || asked->size() > kMaxRank) return;
  Dims dims;
  if (!Requested(node, input, *asked, node.integer("allowzero", 0) != 0, dims)) return;
  const bool wildcard = std::find(asked->begin(), asked->end(), -1) != asked->end();
  const absl::optional<int64_t> count = input.is_static() ? CountOf(input.dims) : absl::nullopt;
  if (!count) {
    node.Give(0, std::move(dims));  // the wildcard is kAnySize
    return;
  }
  // Zeros were copied from an input that is known: what is unknown now is the wildcard.
  Dims others;
  std::copy_if(dims.begin(), dims.end(), std::back_inserter(others), [](int64_t size) { return size >= 0; });
  const absl::optional<int64_t> stated = CountOf(others);
  const bool fits = stated && (wildcard ? *stated > 0 && *count % *stated == 0 : *stated == *count);
  // With a size of 0 any wildcard would do.
  if (!fits && !(wildcard && *count == 0)) {
    node.Conflict(1, absl::StrCat("shape [", absl::StrJoin(*asked, ", "), "]"),
                  absl::StrCat("one of ", *count, " elements, as the input ", ShapeText(input.dims), " has"))
        .when_run = !wildcard;
    return;
  }
  if (wildcard && fits) *std::find(dims.begin(), dims.end(), kAnySize) = *count / *stated;
  node.Give(0, std::move(dims));
}

void InferFlatten(NodeShapes& node) {
  const Shape input = node.at(0);
  if (!input.known) return;
  const int axis = node.Axis(node.integer("axis", 1), input.rank(), input.rank());
  if (axis < 0) return;
  const auto count = [](absl::Span<const int64_t> dims) {
    const bool known = std::all_of(dims.begin(), dims.end(), [](int64_t size) { return size >= 0; });
    return known ? CountOf(dims).value_or(kAnySize) : kAnySize;
  };
  node.Give(0, {count(input.dims.first(axis)), count(input.dims.subspan(axis))});
}

// Marks axes of `rank` dimensions; false after a contradiction. `repeats`: one may be there again, and says the same.
bool MarkAxes(NodeShapes& node, absl::Span<const int64_t> axes, int rank, bool repeats, Dims& marked) {
  marked.assign(rank, 0);
  for (int64_t axis : axes) {
    const int at = node.Axis(axis, rank);
    if (at < 0) return false;
    if (marked[at] != 0 && !repeats) {
      node.BadParameter(absl::StrCat("axis ", at, " twice"), "each axis once");
      return false;
    }
    marked[at] = 1;
  }
  return true;
}

void InferSqueeze(NodeShapes& node) {
  const Shape input = node.at(0);
  const auto axes = node.moved_list("axes", 1);
  if (!input.known || !axes) return;
  const bool all = !node.given(1) && !node.has("axes");
  // Of an empty list ONNX says that nothing goes, and its runtime takes it for none.
  if ((!all && axes->empty()) || (all && !input.is_static())) return;
  Dims marked;
  // Runtimes take one that is there twice for one.
  if (!MarkAxes(node, *axes, input.rank(), /*repeats=*/true, marked)) return;
  Dims dims;
  for (int i = 0; i < input.rank(); ++i) {
    const int64_t size = input.dims[i];
    if (marked[i] != 0 && size >= 0 && size != 1) {
      node.Conflict(0, absl::StrCat("size ", size, " of axis ", i, " in ", ShapeText(input.dims)), "1, to be removed");
      return;
    }
    if (all ? size != 1 : marked[i] == 0) dims.push_back(size);
  }
  node.Give(0, std::move(dims));
}

void InferUnsqueeze(NodeShapes& node) {
  const Shape input = node.at(0);
  const auto axes = node.moved_list("axes", 1);
  if (!input.known || !axes || axes->size() > kMaxRank) return;
  Dims marked;
  if (!MarkAxes(node, *axes, input.rank() + static_cast<int>(axes->size()), /*repeats=*/false, marked)) return;
  auto next = input.dims.begin();
  Dims dims;
  for (int64_t added : marked) dims.push_back(added != 0 ? 1 : *next++);
  node.Give(0, std::move(dims));
}

void InferTranspose(NodeShapes& node) {
  const Shape input = node.at(0);
  const absl::Span<const int64_t> perm = node.integers("perm");
  if (perm.empty() && node.has("perm") && input.known && input.rank() > 0) {
    node.BadParameter("an empty perm", absl::StrCat("each of 0 to ", input.rank() - 1, " once, or no perm")).when_run =
        true;
    return;
  }
  if (perm.empty()) {
    if (input.known) node.Give(0, Dims(input.dims.rbegin(), input.dims.rend()));
    return;
  }
  const int64_t rank = input.known ? input.rank() : static_cast<int64_t>(perm.size());
  if (rank > kMaxRank) return;
  uint64_t seen = 0;
  Dims dims;
  for (int64_t axis : perm) {
    if (perm.size() != static_cast<size_t>(rank) || axis < 0 || axis >= rank || (seen & uint64_t{1} << axis) != 0) {
      node.BadParameter(absl::StrCat("perm ", ListText(perm)),
                        absl::StrCat("each of 0 to ", rank - 1, " once, for a tensor of rank ", rank))
          .when_run = perm.size() != static_cast<size_t>(rank);
      return;
    }
    seen |= uint64_t{1} << axis;
    if (input.known) dims.push_back(input.dims[axis]);
  }
  if (input.known) node.Give(0, std::move(dims));
}

// Blocks of space to channels, or back.
void InferBlocks(NodeShapes& node, bool to_space) {
  const Shape input = node.at(0);
  const int64_t block = node.integer("blocksize", 1);
  if (block < 1 || block > (1 << 20)) {
    node.BadParameter(absl::StrCat("blocksize ", block), "at least 1");
    return;
  }
  if (!input.known) return;
  if (input.rank() != 4) {
    node.Conflict(0, absl::StrCat("shape ", ShapeText(input.dims)), "rank 4");
    return;
  }
  Dims dims(input.dims.begin(), input.dims.end());
  const auto divide = [&](int axis, int64_t by) {
    if (dims[axis] >= 0 && dims[axis] % by != 0) {
      node.Conflict(0, absl::StrCat("size ", dims[axis], " of axis ", axis), absl::StrCat("a multiple of ", by))
          .when_run = true;
      return false;
    }
    if (dims[axis] >= 0) dims[axis] /= by;
    return true;
  };
  const auto multiply = [&](int axis, int64_t by) {
    if (dims[axis] >= 0) dims[axis] = dims[axis] > kMaxSize / by ? kAnySize : dims[axis] * by;
  };
  if (to_space) {
    if (!divide(1, block * block)) return;
    multiply(2, block);
    multiply(3, block);
  } else {
    if (!divide(2, block) || !divide(3, block)) return;
    multiply(1, block * block);
  }
  node.Give(0, std::move(dims));
}

}  // namespace

bool InferReshaping(NodeShapes& node) {
  switch (node.graph().op(node.node())) {
    case OpId::kReshape:
      InferReshape(node);
      return true;
    case OpId::kFlatten:
      InferFlatten(node);
      return true;
    case OpId::kSqueeze:
      InferSqueeze(node);
      return true;
    case OpId::kUnsqueeze:
      if (node.graph().op_type(node.node()) == "Unsqueeze") InferUnsqueeze(node);
      return true;
    case OpId::kTranspose:
      InferTranspose(node);
      return true;
    case OpId::kDepthToSpace:
      InferBlocks(node, /*to_space=*/true);
      return true;
    case OpId::kSpaceToDepth:
      InferBlocks(node, /*to_space=*/false);
      return true;
    default:
      return false;
  }
}

}  // namespace quantgate
