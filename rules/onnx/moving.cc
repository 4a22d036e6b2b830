#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

void InferConcat(NodeShapes& node) {
  if (!node.has("axis")) return;  // said by op-attributes
  Dims dims;
  int axis = -1;
  bool known = true;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Argument argument = ArgumentAt(node.binding(), i);
    if (argument.role != ArgRole::kData || argument.of_output) continue;
    const Shape shape = node.at(i);
    if (!shape.known) {
      known = false;
      continue;
    }
    if (axis < 0) {
      axis = node.Axis(node.integer("axis", 0), shape.rank());
      if (axis < 0) return;
      dims.assign(shape.dims.begin(), shape.dims.end());
      continue;
    }
    bool fits = shape.dims.size() == dims.size();
    for (int d = 0; fits && d < shape.rank(); ++d) {
      fits = d == axis || dims[d] < 0 || shape.dims[d] < 0 || dims[d] == shape.dims[d];
    }
    if (!fits) {
      node.Conflict(i, absl::StrCat("shape ", ShapeText(shape.dims)),
                    absl::StrCat("that of the first, ", ShapeText(dims), ", but for axis ", axis));
      return;
    }
    for (int d = 0; d < shape.rank(); ++d) {
      if (d != axis) {
        dims[d] = std::max(dims[d], shape.dims[d]);
      } else {
        dims[d] = dims[d] < 0 || shape.dims[d] < 0 || dims[d] > kMaxSize ? kAnySize : dims[d] + shape.dims[d];
      }
    }
  }
  if (axis < 0) return;
  if (!known) dims[axis] = kAnySize;
  node.Give(0, std::move(dims));
}

void InferSplit(NodeShapes& node) {
  const Shape input = node.at(0);
  if (!input.known) return;
  const int axis = node.Axis(node.integer("axis", 0), input.rank());
  if (axis < 0) return;
  const int64_t size = input.dims[axis];
  const int count = node.num_outputs();
  const bool stated = node.given(1) || node.has("split");
  const auto sizes = node.moved_list("split", 1);
  if (!sizes) return;
  if (stated && !sizes->empty()) {
    bool fits = sizes->size() == static_cast<size_t>(count);
    int64_t sum = 0;
    for (size_t i = 0; fits && i < sizes->size(); ++i) {
      fits = (*sizes)[i] >= 0 && !__builtin_add_overflow(sum, (*sizes)[i], &sum);
    }
    if (!fits || (size >= 0 && sum != size)) {
      node.Conflict(node.given(1) ? 1 : -1, absl::StrCat("parts ", ListText(*sizes)),
                    absl::StrCat(count, count == 1 ? " part" : " parts", " of ",
                                 size < 0 ? "" : absl::StrCat(size, " elements of "), "axis ", axis));
      return;
    }
  } else if (node.opset() < 18 && size >= 0 && count > 0 && size % count != 0) {
    node.Conflict(0, absl::StrCat("size ", size, " of axis ", axis),
                  absl::StrCat("a multiple of ", count, ", the outputs"));
    return;
  }
  const int64_t parts = node.integer("num_outputs", count);
  if (parts != count) {
    node.BadParameter(absl::StrCat("num_outputs ", parts), absl::StrCat(count, ", the outputs of the node"));
    return;
  }
  const int64_t even = size < 0 || count == 0 ? kAnySize : (size + count - 1) / count;
  // All parts but the last are as large as the first, and there is something left for that one.
  if (!stated && size >= 0 && count > 1 && even * (count - 1) >= size) {
    node.BadParameter(absl::StrCat("num_outputs ", parts),
                      absl::StrCat("at most ", parts > size ? size : (size + even - 1) / even, ", the size ", size,
                                   " of axis ", axis, " in parts of ", even))
        .when_run = true;
    return;
  }
  for (int i = 0; i < static_cast<int>(node.outputs().size()); ++i) {
    Dims dims(input.dims.begin(), input.dims.end());
    dims[axis] = stated && !sizes->empty() ? (*sizes)[i] : even;
    // The last part may be smaller.
    if (!stated && size >= 0 && i == count - 1) dims[axis] = std::max<int64_t>(0, size - even * (count - 1));
    node.Give(i, std::move(dims));
  }
}

// `at`, which counts from the end when it is negative.
int64_t ClampTo(int64_t size, int64_t at, int64_t low, int64_t high) {
  if (at < 0) at = at < -size ? low : at + size;
  return std::min(std::max(at, low), high);
}

int64_t SliceSize(int64_t size, int64_t start, int64_t end, int64_t step) {
  if (size < 0) return kAnySize;
  if (size == 0) return 0;
  // Backwards to the largest end: everything for ONNX Runtime, nothing for ONNX.
  if (step < 0 && (end == INT64_MAX || end == INT32_MAX)) return kAnySize;
  start = SliceStart(size, start, step);
  // Backwards, the position in front of the first element is an end.
  end = step > 0 ? ClampTo(size, end, 0, size) : ClampTo(size, end, -1, size - 1);
  const int64_t span = step > 0 ? end - start : start - end;
  const int64_t stride = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;
  return span <= 0 ? 0 : span / stride + (span % stride != 0);
}

// False: the axis was among those before.
bool FirstTime(NodeShapes& node, int axis, uint64_t& before) {
  const uint64_t bit = uint64_t{1} << axis;
  if ((before & bit) != 0) {
    node.BadParameter(absl::StrCat("axis ", axis, " twice"), "each axis once");
    return false;
  }
  before |= bit;
  return true;
}

// Starts, ends, axes and steps are one for each axis that is cut; false after a contradiction.
bool AreAsMany(NodeShapes& node, absl::Span<const int64_t> starts,
               const absl::optional<absl::Span<const int64_t>>& list, int argument, absl::string_view what) {
  // An empty list of axes or steps is none.
  if (!list || list->size() == starts.size() || (argument > 2 && list->empty())) return true;
  node.Conflict(node.given(argument) ? argument : -1, absl::StrCat(list->size(), " ", what),
                absl::StrCat(starts.size(), ", as there are starts"));
  return false;
}

void InferSlice(NodeShapes& node) {
  const Shape input = node.at(0);
  if (!input.known || node.graph().op_type(node.node()) != "Slice") return;
  const auto starts = node.moved_list("starts", 1);
  const auto ends = node.moved_list("ends", 2);
  const auto axes = node.moved_list("axes", 3);
  const auto steps = node.given(4) ? node.constant(4) : absl::Span<const int64_t>();
  if (!axes || axes->size() > kMaxRank || (starts && starts->size() > kMaxRank)) return;
  if (starts && (!AreAsMany(node, *starts, ends, 2, "ends") || !AreAsMany(node, *starts, axes, 3, "axes") ||
                 !AreAsMany(node, *starts, steps, 4, "steps"))) {
    return;
  }
  Dims dims(input.dims.begin(), input.dims.end());
  const bool values = starts && ends && steps && starts->size() == ends->size() &&
                      (axes->empty() || axes->size() == starts->size()) &&
                      (steps->empty() || steps->size() == starts->size());
  if (!values) {
    // Which axes are cut is enough to know the others.
    if (axes->empty()) return;
    uint64_t cut = 0;
    for (int64_t axis : *axes) {
      const int at = node.Axis(axis, input.rank());
      if (at < 0 || !FirstTime(node, at, cut)) return;
      dims[at] = kAnySize;
    }
    node.Give(0, std::move(dims));
    return;
  }
  uint64_t cut = 0;
  for (size_t i = 0; i < starts->size(); ++i) {
    const int axis = node.Axis(axes->empty() ? static_cast<int64_t>(i) : (*axes)[i], input.rank());
    if (axis < 0 || !FirstTime(node, axis, cut)) return;
    const int64_t step = steps->empty() ? 1 : (*steps)[i];
    if (step == 0) {
      node.Conflict(4, "a step of 0", "another step");
      return;
    }
    dims[axis] = SliceSize(input.dims[axis], (*starts)[i], (*ends)[i], step);
  }
  node.Give(0, std::move(dims));
}

void InferGather(NodeShapes& node) {
  const Shape data = node.port(0);
  const Shape indices = node.port(1);
  if (!data.known || node.graph().op_type(node.node()) != "Gather") return;
  const int axis = node.Axis(node.integer("axis", 0), data.rank());
  if (axis < 0 || !indices.known) return;
  Dims dims(data.dims.begin(), data.dims.begin() + axis);
  dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
  dims.insert(dims.end(), data.dims.begin() + axis + 1, data.dims.end());
  node.Give(0, std::move(dims));
}

void InferGatherElements(NodeShapes& node) {
  const Shape data = node.at(0);
  if (data.known && node.Axis(node.integer("axis", 0), data.rank()) < 0) node.contradictions.back().when_run = true;
  node.GiveLike(0, node.at(1));
}

void InferExpand(NodeShapes& node) {
  const Shape input = node.at(0);
  const auto asked = node.constant(1);
  if (!input.known || !asked || asked->size() > kMaxRank) return;
  Dims dims(input.dims.begin(), input.dims.end());
  if (BroadcastInto(*asked, dims)) {
    node.Give(0, std::move(dims));
  } else {
    node.Conflict(1, absl::StrCat("shape ", ListText(*asked)),
                  absl::StrCat("one that broadcasts with ", ShapeText(input.dims)));
  }
}

void InferTile(NodeShapes& node) {
  const Shape input = node.at(0);
  const auto repeats = node.constant(1);
  if (!input.known || !repeats) return;
  if (repeats->size() != input.dims.size()) {
    node.Conflict(1, absl::StrCat(repeats->size(), " repeats"),
                  absl::StrCat(input.rank(), ", one for each dimension of ", ShapeText(input.dims)));
    return;
  }
  if (!repeats->empty() && *absl::c_min_element(*repeats) < 0) {
    node.Conflict(1, absl::StrCat("repeats ", ListText(*repeats)), "numbers of at least 0").when_run = true;
    return;
  }
  Dims dims(input.dims.begin(), input.dims.end());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || __builtin_mul_overflow(dims[i], (*repeats)[i], &dims[i]) || dims[i] < 0) dims[i] = kAnySize;
  }
  node.Give(0, std::move(dims));
}

void InferPad(NodeShapes& node) {
  const Shape input = node.at(0);
  const auto pads = node.moved_list("pads", 1);
  if (!input.known || node.graph().op_type(node.node()) != "Pad") return;
  if (!pads || node.given(3)) {
    node.Give(0, Dims(input.rank(), kAnySize));
    return;
  }
  const size_t rank = input.dims.size();
  if (pads->size() != 2 * rank) {
    node.Conflict(node.given(1) ? 1 : -1, absl::StrCat(pads->size(), " pads"),
                  absl::StrCat(2 * rank, ", two for each dimension of ", ShapeText(input.dims)));
    return;
  }
  Dims dims(input.dims.begin(), input.dims.end());
  for (size_t i = 0; i < rank; ++i) {
    const int64_t before = (*pads)[i];
    const int64_t after = (*pads)[i + rank];
    if (dims[i] < 0) continue;
    if (std::max(before, after) > kMaxSize) {
      node.Conflict(node.given(1) ? 1 : -1, absl::StrCat("a pad of ", std::max(before, after)),
                    "one that leaves a size that can be counted")
          .when_run = true;
      return;
    }
    if (std::min(before, after) < -kMaxSize) {
      dims[i] = kAnySize;
    } else if ((dims[i] += before + after) < 0) {
      node.Conflict(node.given(1) ? 1 : -1, absl::StrCat("pads that cut ", -before - after, " of axis ", i),
                    absl::StrCat("at most its size, ", input.dims[i]))
          .when_run = true;
      return;
    }
  }
  node.Give(0, std::move(dims));
}

// In single precision, as ONNX has it.
int64_t ScaledSize(int64_t size, double scale) {
  if (size < 0) return kAnySize;
  const float scaled = std::floor(static_cast<float>(size) * static_cast<float>(scale));
  return scaled >= 0 && scaled <= static_cast<float>(kMaxSize) ? static_cast<int64_t>(scaled) : kAnySize;
}

void InferResize(NodeShapes& node) {
  const Shape input = node.at(0);
  // axes and keep_aspect_ratio_policy change what the numbers mean.
  if (!input.known || node.graph().op_type(node.node()) != "Resize" || node.opset() < 11 || node.has("axes") ||
      node.has("keep_aspect_ratio_policy")) {
    return;
  }
  const auto sizes = node.constant(3);
  Dims dims(input.rank(), kAnySize);
  if (sizes && !sizes->empty()) {
    if (sizes->size() != input.dims.size()) {
      node.Conflict(3, absl::StrCat(sizes->size(), " sizes"),
                    absl::StrCat(input.rank(), ", one for each dimension of ", ShapeText(input.dims)));
      return;
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      dims[i] = (*sizes)[i];
      if (dims[i] > 0 || (dims[i] == 0 && input.dims[i] <= 0)) continue;
      node.Conflict(3, absl::StrCat("size ", dims[i], " of axis ", i), "at least 1").when_run = true;
      return;
    }
  } else if (const Shape scales = node.at(2);
             scales.known && scales.rank() == 1 && scales.dims[0] > 0 && scales.dims[0] != input.rank()) {
    node.Conflict(2, absl::StrCat(scales.dims[0], " scales"),
                  absl::StrCat(input.rank(), ", one for each dimension of ", ShapeText(input.dims)));
    return;
  } else {
    const RealView factors = node.reals(2);
    for (size_t i = 0; i < factors.size() && i < dims.size(); ++i) dims[i] = ScaledSize(input.dims[i], factors[i]);
  }
  node.Give(0, std::move(dims));
}

// The sizes of the input's places are those of the grid, which has the coordinates last.
void InferGridSample(NodeShapes& node) {
  const Shape input = node.at(0);
  const Shape grid = node.at(1);
  if (!input.known || !grid.known || input.rank() < 3 || grid.rank() != input.rank()) return;
  Dims dims(input.dims.begin(), input.dims.begin() + 2);
  dims.insert(dims.end(), grid.dims.begin() + 1, grid.dims.end() - 1);
  node.Give(0, std::move(dims));
}

}  // namespace

int64_t SliceStart(int64_t size, int64_t start, int64_t step) {
  return ClampTo(size, start, 0, step > 0 ? size : size - 1);
}

bool InferMoving(NodeShapes& node) {
  switch (node.graph().op(node.node())) {
    case OpId::kConcat:
      InferConcat(node);
      return true;
    case OpId::kSplit:
      InferSplit(node);
      return true;
    case OpId::kSlice:
      InferSlice(node);
      return true;
    case OpId::kGather:
      InferGather(node);
      return true;
    case OpId::kGatherElements:
      InferGatherElements(node);
      return true;
    case OpId::kExpand:
      InferExpand(node);
      return true;
    case OpId::kTile:
      InferTile(node);
      return true;
    case OpId::kPad:
      InferPad(node);
      return true;
    case OpId::kResize:
      InferResize(node);
      return true;
    case OpId::kGridSample:
      InferGridSample(node);
      return true;
    default:
      return false;
  }
}

}  // namespace quantgate
