#include "rules/backends/qnn_htp/ops/output_shape.h"

#include <algorithm>

#include "rules/backends/qnn_htp/op_rule.h"
#include "rules/constraints/defaults.h"

namespace quantgate::qnn_htp {
namespace {

using Shape = std::optional<std::vector<int64_t>>;

// What QNN's 32 bits hold; sums and products of two stay far from overflow.
bool IsSize(int64_t size) { return size >= 0 && size <= INT32_MAX; }

// The inputs do not go together: no output has this shape.
Shape None() { return std::vector<int64_t>{0}; }

Shape Checked(std::vector<int64_t> shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t size) { return size > 0; }) ? Shape(std::move(shape))
                                                                                        : std::nullopt;
}

bool HasList(const BackendOp& op, absl::string_view name, size_t count) {
  const BackendParam* param = FindParam(op, name);
  return param != nullptr && param->ints.size() == count && std::all_of(param->ints.begin(), param->ints.end(), IsSize);
}

// Batch and channels are not looked at.
Shape Pooled(const BackendOp& op, std::vector<int64_t> shape) {
  const size_t spatial = op.name == "PoolAvg3d" ? 3 : 2;
  if (shape.size() != spatial + 2 || !HasList(op, "filter_size", spatial)) return std::nullopt;
  const bool ceiling = ParamElement(op, "rounding_mode", 0, 0) != 0;
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t stride = ParamElement(op, "stride", i, 1);
    const int64_t rest = shape[i + 1] + ParamElement(op, "pad_amount", 2 * i, 0) +
                         ParamElement(op, "pad_amount", 2 * i + 1, 0) - ParamElement(op, "filter_size", i, 1);
    if (rest < 0 && op.name == "PoolAvg3d" && IsSize(-rest)) return None();
    if (stride <= 0 || rest < 0 || !IsSize(stride) || !IsSize(rest)) return std::nullopt;
    shape[i + 1] = (rest + (ceiling ? stride - 1 : 0)) / stride + 1;
  }
  const absl::Span<const int64_t> out = Output(op, 0).dims;
  if (op.name != "PoolAvg3d" && out.size() == shape.size()) {
    shape.front() = out.front();
    shape.back() = out.back();
  }
  return Checked(std::move(shape));
}

Shape Sliced(const BackendOp& op, std::vector<int64_t> shape) {
  for (absl::string_view mask : {"begin_mask", "end_mask", "shrink_axes", "new_axes_mask"}) {
    if (ParamElement(op, mask, 0, 0) != 0) return std::nullopt;
  }
  const BackendParam* ranges = FindParam(op, "ranges");
  if (ranges == nullptr || ranges->ints.size() != 3 * shape.size()) return std::nullopt;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t begin = ranges->ints[3 * i], step = ranges->ints[3 * i + 2];
    const int64_t end = std::min(ranges->ints[3 * i + 1], shape[i]);
    if (step == 0 || (begin >= 0 && step > 0 && end >= 0 && end <= begin)) return None();
    if (begin < 0 || end < 0 || step < 0 || !IsSize(step)) return std::nullopt;
    shape[i] = (end - begin + step - 1) / step;
  }
  return Checked(std::move(shape));
}

// Height and width against depth or batch, by the blocks.
Shape Blocked(const BackendOp& op, std::vector<int64_t> shape) {
  if (shape.size() != 4 || !HasList(op, "block_size", 2)) return std::nullopt;
  const int64_t height = ParamElement(op, "block_size", 0, 1), width = ParamElement(op, "block_size", 1, 1);
  const bool grows = op.name == "DepthToSpace";
  int64_t& other = shape[op.name == "SpaceToBatch" ? 0 : 3];
  if (height == 0 || width == 0 || height > INT16_MAX || width > INT16_MAX) return std::nullopt;
  for (size_t i = 0; i < 4; ++i) {
    const int64_t pad = ParamElement(op, "pad_amount", i, 0);
    if (!IsSize(pad)) return std::nullopt;
    shape[1 + i / 2] += pad;
  }
  if (grows) {
    if (other % (height * width) != 0) return None();
    other /= height * width;
    shape[1] *= height;
    shape[2] *= width;
  } else {
    if (shape[1] % height != 0 || shape[2] % width != 0) return None();
    other *= height * width;
    shape[1] /= height;
    shape[2] /= width;
  }
  return Checked(std::move(shape));
}

Shape Transposed(const BackendOp& op, const std::vector<int64_t>& shape) {
  if (!HasList(op, "perm", shape.size())) return std::nullopt;
  std::vector<int64_t> moved;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto from = static_cast<size_t>(ParamElement(op, "perm", i, 0));
    if (from >= shape.size()) return std::nullopt;
    moved.push_back(shape[from]);
  }
  return Checked(std::move(moved));
}

// One dimension more for Pack, one less for UnPack.
Shape Packed(const BackendOp& op, std::vector<int64_t> shape) {
  const int64_t axis = ParamElement(op, "axis", 0, 0);
  const auto rank = static_cast<int64_t>(shape.size());
  if (op.name == "Pack") {
    if (axis < 0 || axis > rank) return std::nullopt;
    shape.insert(shape.begin() + axis, static_cast<int64_t>(op.inputs.size()));
  } else {
    if (axis < 0 || axis >= rank || rank < 2) return std::nullopt;
    shape.erase(shape.begin() + axis);
  }
  return Checked(std::move(shape));
}

// Batch and channels; the spatial sizes are those that are stated.
Shape Convolved(const BackendOp& op, const std::vector<int64_t>& in) {
  const absl::Span<const int64_t> filter = Input(op, 1).dims, out = Output(op, 0).dims;
  if (filter.size() != in.size() || out.size() != in.size() || in.size() < 4) return std::nullopt;
  std::vector<int64_t> shape(out.begin(), out.end());
  shape.front() = in.front();
  const int64_t groups = Is(op, {"TransposeConv2d", "TransposeConv3d"}) ? ParamElement(op, "group", 0, 1) : 1;
  if (!IsSize(filter.back()) || !IsSize(groups)) return std::nullopt;
  shape.back() = filter.back() * groups;
  return Checked(std::move(shape));
}

// The spatial sizes are a matter of choice.
Shape Resized(const BackendOp& op, const std::vector<int64_t>& in) {
  const absl::Span<const int64_t> out = Output(op, 0).dims;
  if (out.size() != in.size()) return in;
  std::vector<int64_t> shape(out.begin(), out.end());
  shape.front() = in.front();
  shape.back() = in.back();
  return Checked(std::move(shape));
}

Shape Multiplied(const BackendOp& op, std::vector<int64_t> a) {
  const absl::Span<const int64_t> second = Input(op, 1).dims;
  std::vector<int64_t> b(second.begin(), second.end());
  if (a.size() < 2 || b.size() < 2 || !std::all_of(b.begin(), b.end(), IsSize)) return std::nullopt;
  if (ParamElement(op, "transpose_in0", 0, 0) != 0) std::swap(a.end()[-1], a.end()[-2]);
  if (ParamElement(op, "transpose_in1", 0, 0) != 0) std::swap(b.end()[-1], b.end()[-2]);
  const int64_t rows = a.end()[-2], columns = b.back();
  const size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) return None();
    a[i] = std::max(a[i], b[i]);
  }
  a[rank - 2] = rows;
  a[rank - 1] = columns;
  return a;
}

Shape Gathered(const BackendOp& op, const std::vector<int64_t>& data) {
  const absl::Span<const int64_t> indices = Input(op, 1).dims;
  const int64_t axis = ParamElement(op, "axis", 0, 0);
  if (axis < 0 || axis >= static_cast<int64_t>(data.size()) || indices.empty()) return std::nullopt;
  std::vector<int64_t> shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return Checked(std::move(shape));
}

Shape WithDepth(const BackendOp& op, std::vector<int64_t> shape) {
  const int64_t axis = ParamElement(op, "axis", 0, -1);
  if (axis < 0 || axis > static_cast<int64_t>(shape.size())) return std::nullopt;
  shape.insert(shape.begin() + axis, ParamElement(op, "depth", 0, 0));
  return Checked(std::move(shape));
}

Shape Largest(const BackendOp& op, std::vector<int64_t> shape) {
  if (ParamElement(op, "k", 0, 0) > shape.back()) return None();
  shape.back() = ParamElement(op, "k", 0, 0);
  return Checked(std::move(shape));
}

Shape Connected(const BackendOp& op, const std::vector<int64_t>& in) {
  const absl::Span<const int64_t> weight = Input(op, 1).dims, out = Output(op, 0).dims;
  if (weight.size() != 2 || weight[1] <= 0 || out.size() != 2) return std::nullopt;
  int64_t count = 1;
  for (int64_t size : in) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  if (count % weight[1] != 0) return None();
  return std::vector<int64_t>{count / weight[1], weight[0]};
}

Shape GatheredByVectors(const BackendOp& op, const std::vector<int64_t>& data) {
  const absl::Span<const int64_t> indices = Input(op, 1).dims;
  const int64_t batch = ParamElement(op, "batch_dims", 0, 0);
  if (indices.empty() || batch < 0 || !IsSize(indices.back())) return std::nullopt;
  const int64_t kept = batch + indices.back();
  if (kept > static_cast<int64_t>(data.size()) || batch >= static_cast<int64_t>(indices.size())) return None();
  std::vector<int64_t> shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + kept, data.end());
  return Checked(std::move(shape));
}

// The dimensions of size 1 that are there, or are put there.
Shape Squeezed(const BackendOp& op, const std::vector<int64_t>& in) {
  const BackendParam* axes = FindParam(op, "axes");
  std::vector<int64_t> shape;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool named = axes == nullptr || std::find(axes->ints.begin(), axes->ints.end(), i) != axes->ints.end();
    if (axes != nullptr && named && in[i] != 1) return std::nullopt;
    if (!named || in[i] != 1) shape.push_back(in[i]);
  }
  if (shape.empty()) return std::nullopt;
  return Checked(std::move(shape));
}

Shape Expanded(const BackendOp& op, std::vector<int64_t> shape) {
  const BackendParam* axes = FindParam(op, FindParam(op, "axes") != nullptr ? "axes" : "axis");
  if (axes == nullptr) return std::nullopt;
  std::vector<int64_t> sorted = axes->ints;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t axis : sorted) {
    if (axis < 0 || axis > static_cast<int64_t>(shape.size())) return std::nullopt;
    shape.insert(shape.begin() + axis, 1);
  }
  return Checked(std::move(shape));
}

Shape Sampled(const BackendOp& op, std::vector<int64_t> shape) {
  const absl::Span<const int64_t> grid = Input(op, 1).dims;
  if (grid.size() != shape.size() || grid.size() < 4) return std::nullopt;
  if (grid.back() != static_cast<int64_t>(grid.size()) - 2 || grid.front() != shape.front()) return None();
  std::copy(grid.begin() + 1, grid.end() - 1, shape.begin() + 1);
  return Checked(std::move(shape));
}

// A position for each element: none may be zero.
Shape Positions(const std::vector<int64_t>& in) {
  int64_t count = 1;
  for (int64_t size : in) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return Checked({count, static_cast<int64_t>(in.size())});
}

}  // namespace

int64_t ParamElement(const BackendOp& op, absl::string_view name, size_t index, int64_t otherwise) {
  const BackendParam* param = FindParam(op, name);
  return param == nullptr || index >= param->ints.size() ? otherwise : param->ints[index];
}

std::optional<std::vector<int64_t>> OutputShape(const BackendOp& op) {
  const absl::Span<const int64_t> in = Input(op, 0).dims;
  std::vector<int64_t> shape(in.begin(), in.end());
  if (shape.empty() || !std::all_of(shape.begin(), shape.end(), IsSize)) return std::nullopt;
  if (Is(op, {"PoolAvg2d", "PoolMax2d", "PoolAvg3d"})) return Pooled(op, std::move(shape));
  if (Is(op, {"DepthToSpace", "SpaceToDepth", "SpaceToBatch"})) return Blocked(op, std::move(shape));
  if (Is(op, {"Pack", "UnPack"})) return Packed(op, std::move(shape));
  if (IsConvolution(op)) return Convolved(op, shape);
  if (Is(op, {"Resize", "ResizeBilinear", "ResizeNearestNeighbor"})) return Resized(op, shape);
  if (op.name == "MatMul") return Multiplied(op, std::move(shape));
  if (op.name == "FullyConnected") return Connected(op, shape);
  if (op.name == "Gather") return Gathered(op, shape);
  if (op.name == "GatherElements") return Shape(std::in_place, Input(op, 1).dims.begin(), Input(op, 1).dims.end());
  if (op.name == "GatherNd") return GatheredByVectors(op, shape);
  if (op.name == "GridSample") return Sampled(op, std::move(shape));
  if (op.name == "Squeeze") return Squeezed(op, shape);
  if (op.name == "ExpandDims") return Expanded(op, std::move(shape));
  if (op.name == "NonZero") return Positions(shape);
  if (op.name == "OneHot") return WithDepth(op, std::move(shape));
  if (op.name == "TopK") return Largest(op, std::move(shape));
  if (op.name == "StridedSlice") return Sliced(op, std::move(shape));
  if (op.name == "Transpose") return Transposed(op, shape);
  if (op.name == "Pad" && HasList(op, "pad_amount", 2 * shape.size())) {
    for (size_t i = 0; i < shape.size(); ++i) {
      shape[i] += ParamElement(op, "pad_amount", 2 * i, 0) + ParamElement(op, "pad_amount", 2 * i + 1, 0);
    }
    return Checked(std::move(shape));
  }
  if (op.name == "Tile" && HasList(op, "multiples", shape.size())) {
    for (size_t i = 0; i < shape.size(); ++i) shape[i] *= ParamElement(op, "multiples", i, 1);
    return shape;
  }
  return std::nullopt;
}

}  // namespace quantgate::qnn_htp
