#include "rules/tflite/output_shapes.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

Dims Copy(absl::Span<const int64_t> dims) { return Dims(dims.begin(), dims.end()); }

// None: out of range, which another rule says.
absl::optional<int> AxisOf(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return absl::nullopt;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? kAnySize : product;
}

int64_t Plus(int64_t a, int64_t b) { return a < 0 || b < 0 || a > kMaxSize || b > kMaxSize ? kAnySize : a + b; }

// Sizes of arguments that have as many numbers as asked for.
absl::optional<absl::Span<const int64_t>> Numbers(const NodeShapes& node, int argument, int count) {
  const auto numbers = node.constant(argument);
  if (!numbers || static_cast<int>(numbers->size()) != count) return absl::nullopt;
  return numbers;
}

// Size after a window; kAnySize: not known, or it does not fit.
int64_t SizeAfter(const NodeShapes& node, int64_t size, int64_t kernel, int64_t stride, int64_t dilation) {
  if (size < 0 || kernel < 1 || stride < 1 || dilation < 1 || kernel > INT32_MAX || dilation > INT32_MAX) {
    return kAnySize;
  }
  if (node.text("padding") == "SAME") return (size + stride - 1) / stride;
  const int64_t extent = (kernel - 1) * dilation + 1;
  return node.text("padding") != "VALID" || extent > size ? kAnySize : (size - extent) / stride + 1;
}

void Convolve(NodeShapes& node, int channels) {
  const Shape input = node.at(0);
  const Shape filter = node.at(1);
  if (!input.known || !filter.known || input.rank() != 4 || filter.rank() != 4) return;
  node.Give(0, {input.dims[0],
                SizeAfter(node, input.dims[1], filter.dims[1], node.integer("stride_h", 0),
                          node.integer("dilation_h_factor", 1)),
                SizeAfter(node, input.dims[2], filter.dims[2], node.integer("stride_w", 0),
                          node.integer("dilation_w_factor", 1)),
                filter.dims[channels]});
}

void Conv(NodeShapes& node) { Convolve(node, 0); }
void DepthwiseConv(NodeShapes& node) { Convolve(node, 3); }

// The shape is stated; the convolution back has to come to the input's.
void TransposeConv(NodeShapes& node) {
  const auto stated = Numbers(node, 0, 4);
  if (!stated) return;
  const Shape filter = node.at(1);
  const Shape input = node.at(2);
  if (input.known && input.rank() == 4 && filter.known && filter.rank() == 4) {
    for (const auto& [dim, stride] : {std::pair(1, "stride_h"), std::pair(2, "stride_w")}) {
      const int64_t size = SizeAfter(node, (*stated)[dim], filter.dims[dim], node.integer(stride, 0), 1);
      if (size < 0 || input.dims[dim] < 0 || size == input.dims[dim]) continue;
      node.Conflict(0, absl::StrCat("an output shape of ", ShapeText(*stated)),
                    absl::StrCat("one that comes of ", input.dims[dim], " along axis ", dim, ", as in ",
                                 ShapeText(input.dims), ", not of ", size));
      return;
    }
  }
  node.Give(0, Copy(*stated));
}

void Pool(NodeShapes& node) {
  const Shape input = node.at(0);
  if (!input.known || input.rank() != 4) return;
  node.Give(
      0,
      {input.dims[0], SizeAfter(node, input.dims[1], node.integer("filter_height", 0), node.integer("stride_h", 0), 1),
       SizeAfter(node, input.dims[2], node.integer("filter_width", 0), node.integer("stride_w", 0), 1), input.dims[3]});
}

void FullyConnected(NodeShapes& node) {
  const Shape input = node.at(0);
  const Shape weights = node.at(1);
  if (!input.known || !weights.known || weights.rank() != 2) return;
  if (node.integer("keep_num_dims", 0) != 0 && input.rank() > 0) {
    Dims dims = Copy(input.dims);
    dims.back() = weights.dims[0];
    return node.Give(0, std::move(dims));
  }
  const int64_t count = input.is_static() ? CountOf(input.dims).value_or(kAnySize) : kAnySize;
  const int64_t depth = weights.dims[1];
  node.Give(0, {count != kAnySize && depth > 0 && count % depth == 0 ? count / depth : kAnySize, weights.dims[0]});
}

void BatchMatMul(NodeShapes& node) {
  const Shape left = node.at(0);
  const Shape right = node.at(1);
  if (!left.known || !right.known || left.rank() < 2 || right.rank() < 2) return;
  const int rank = std::max(left.rank(), right.rank());
  Dims dims(rank, 1);
  for (int i = 3; i <= rank; ++i) {
    const int64_t a = i <= left.rank() ? left.dims[left.rank() - i] : 1;
    const int64_t b = i <= right.rank() ? right.dims[right.rank() - i] : 1;
    if (a >= 0 && b >= 0 && a != b && a != 1 && b != 1) return;
    dims[rank - i] = a == 1 ? b : b == 1 ? a : std::max(a, b);
  }
  dims[rank - 2] = left.dims[left.rank() - (node.integer("adj_x", 0) != 0 ? 1 : 2)];
  dims[rank - 1] = right.dims[right.rank() - (node.integer("adj_y", 0) != 0 ? 2 : 1)];
  node.Give(0, std::move(dims));
}

void Spread(NodeShapes& node, int operands) {
  Dims dims;
  for (int operand = 0; operand < operands; ++operand) {
    const Shape shape = node.at(operand);
    if (!shape.known) return;
    if (shape.rank() > static_cast<int>(dims.size())) dims.insert(dims.begin(), shape.rank() - dims.size(), 1);
    for (int i = 1; i <= shape.rank(); ++i) {
      int64_t& size = dims[dims.size() - i];
      const int64_t other = shape.dims[shape.rank() - i];
      if (other == 1 || size == other) continue;
      if (size >= 0 && other >= 0 && size != 1) return;
      size = size == 1 ? other : std::max(size, other);
    }
  }
  node.Give(0, std::move(dims));
}

void Pair(NodeShapes& node) { Spread(node, 2); }
void Three(NodeShapes& node) { Spread(node, 3); }
void Like(NodeShapes& node) { node.GiveLike(0, node.at(0)); }

void Concatenation(NodeShapes& node) {
  const Shape first = node.at(0);
  const auto axis = AxisOf(node.integer("axis", 0), first.rank());
  if (!first.known || !axis) return;
  Dims dims = Copy(first.dims);
  for (int i = 1; i < node.num_inputs(); ++i) {
    const Shape shape = node.at(i);
    if (!shape.known || shape.rank() != first.rank()) {
      dims[*axis] = kAnySize;
      break;
    }
    dims[*axis] = Plus(dims[*axis], shape.dims[*axis]);
  }
  node.Give(0, std::move(dims));
}

void Insert(NodeShapes& node, int64_t axis, int64_t size) {
  const Shape shape = node.at(0);
  const auto place = AxisOf(axis, shape.rank() + 1);
  if (!shape.known || !place) return;
  Dims dims = Copy(shape.dims);
  dims.insert(dims.begin() + *place, size);
  node.Give(0, std::move(dims));
}

void Pack(NodeShapes& node) { Insert(node, node.integer("axis", 0), node.num_inputs()); }

void ExpandDims(NodeShapes& node) {
  if (const auto axis = Numbers(node, 1, 1)) Insert(node, axis->front(), 1);
}

Dims Without(absl::Span<const int64_t> shape, int axis) {
  Dims dims = Copy(shape);
  dims.erase(dims.begin() + axis);
  return dims;
}

void Unpack(NodeShapes& node) {
  const Shape shape = node.at(0);
  const auto axis = AxisOf(node.integer("axis", 0), shape.rank());
  if (!shape.known || !axis) return;
  for (int i = 0; i < node.num_outputs(); ++i) node.Give(i, Without(shape.dims, *axis));
}

void ArgMax(NodeShapes& node) {
  const Shape shape = node.at(0);
  const auto stated = Numbers(node, 1, 1);
  if (!shape.known || !stated) return;
  if (const auto axis = AxisOf(stated->front(), shape.rank())) node.Give(0, Without(shape.dims, *axis));
}

void Transpose(NodeShapes& node) {
  const Shape shape = node.at(0);
  const auto order = Numbers(node, 1, shape.rank());
  if (!shape.known || !order) return;
  Dims dims;
  for (int64_t each : *order) {
    const auto axis = AxisOf(each, shape.rank());
    if (!axis) return;
    dims.push_back(shape.dims[*axis]);
  }
  node.Give(0, std::move(dims));
}

void Reduce(NodeShapes& node) {
  const Shape shape = node.at(0);
  const auto axes = node.constant(1);
  if (!shape.known || !axes) return;
  uint64_t gone = 0;
  for (int64_t each : *axes) {
    const auto axis = AxisOf(each, shape.rank());
    if (!axis) return;
    gone |= uint64_t{1} << *axis;
  }
  const bool keep = node.integer("keep_dims", 0) != 0;
  Dims dims;
  for (int d = 0; d < shape.rank(); ++d) {
    const bool reduced = (gone >> d & 1) != 0;
    if (!reduced || keep) dims.push_back(reduced ? 1 : shape.dims[d]);
  }
  node.Give(0, std::move(dims));
}

// The shape that is stated, by an argument where there is one. Old converters write [0] for a scalar.
void Reshape(NodeShapes& node) {
  const Shape argument = node.at(1);
  const bool is_input = node.num_inputs() > 1 && !(argument.known && argument.rank() != 1);
  const auto stated = is_input ? node.constant(1) : node.integers("new_shape");
  if (!stated) return;
  const bool scalar = !is_input && stated->size() == 1 && stated->front() == 0;
  Dims dims = scalar ? Dims() : Copy(*stated);
  const Shape input = node.at(0);
  const int64_t count = input.is_static() ? CountOf(input.dims).value_or(kAnySize) : kAnySize;
  const auto open = absl::c_find(dims, -1);
  if (open != dims.end()) {
    *open = 1;
    const auto rest = CountOf(dims);
    *open = count != kAnySize && rest && *rest > 0 && count % *rest == 0 ? count / *rest : kAnySize;
  } else if (dims.empty() && count != kAnySize && count != 1) {
    node.Conflict(-1, scalar ? "a new shape of a scalar" : "no new shape, which is that of a scalar",
                  absl::StrCat("one of ", count, " elements, as ", ShapeText(input.dims)));
    return;
  }
  node.Give(0, std::move(dims));
}

void Squeeze(NodeShapes& node) {
  const Shape shape = node.at(0);
  if (!shape.known) return;
  uint64_t gone = 0;
  for (int64_t each : node.integers("squeeze_dims")) {
    const auto axis = AxisOf(each, shape.rank());
    if (!axis) return;
    if (shape.dims[*axis] > 1) {
      node.Conflict(0, absl::StrCat("shape ", ShapeText(shape.dims)),
                    absl::StrCat("a size of 1 along axis ", *axis, ", which is taken out"));
      return;
    }
    gone |= uint64_t{1} << *axis;
  }
  if (node.integers("squeeze_dims").empty()) {
    if (!shape.is_static()) return;
    for (int d = 0; d < shape.rank(); ++d) gone |= uint64_t{shape.dims[d] == 1} << d;
  }
  Dims dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if ((gone >> d & 1) == 0) dims.push_back(shape.dims[d]);
  }
  node.Give(0, std::move(dims));
}

// Rows of what stands in front of each axis and behind it.
void Pad(NodeShapes& node) {
  const Shape shape = node.at(0);
  if (!shape.known || !node.given(1)) return;
  const int32_t id = node.graph().input(node.node(), 1);
  const auto& paddings = node.graph().value(id).constant().ints();
  if (node.graph().is_graph_input(id) || paddings.size() != 2 * shape.rank()) return;
  Dims dims = Copy(shape.dims);
  for (int d = 0; d < shape.rank(); ++d) dims[d] = Plus(Plus(dims[d], paddings[2 * d]), paddings[2 * d + 1]);
  node.Give(0, std::move(dims));
}

// What is declared as 1 may be a size that is found as the model runs.
bool DeclaredOther(const NodeShapes& node, const Dims& dims) {
  if (node.num_outputs() == 0 || node.graph().output(node.node(), 0) < 0) return false;
  const auto& declared = node.graph().value(node.graph().output(node.node(), 0)).dims();
  if (declared.empty()) return false;
  bool same = declared.size() == static_cast<int>(dims.size());
  for (int d = 0; same && d < declared.size(); ++d) {
    same = dims[d] < 0 || declared[d] <= 1 || declared[d] == dims[d];
  }
  return !same;
}

void Slice(NodeShapes& node) {
  const Shape shape = node.at(0);
  const auto begin = Numbers(node, 1, shape.rank());
  const auto size = Numbers(node, 2, shape.rank());
  if (!shape.known || !begin || !size) return;
  Dims dims;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t from = (*begin)[d];
    const int64_t asked = (*size)[d];
    if (asked < -1) {
      node.BadParameter(absl::StrCat("a size of ", asked), "0 or more, or -1 for the rest");
      return;
    }
    if (from > kMaxSize || asked > kMaxSize || from < 0) return;
    if (shape.dims[d] >= 0 && from + std::max<int64_t>(asked, 0) > shape.dims[d]) {
      node.Conflict(0, absl::StrCat("shape ", ShapeText(shape.dims)),
                    absl::StrCat("at least ", from + std::max<int64_t>(asked, 0), " along axis ", d));
      return;
    }
    dims.push_back(asked >= 0 ? asked : shape.dims[d] < 0 ? kAnySize : shape.dims[d] - from);
  }
  if (DeclaredOther(node, dims)) {
    const auto& declared = node.graph().value(node.graph().output(node.node(), 0)).dims();
    node.Conflict(-1, absl::StrCat("a result of shape ", ShapeText(declared)),
                  absl::StrCat(ShapeText(dims), ", as sliced: the kernel insists"));
    return;
  }
  node.Give(0, std::move(dims));
}

void StridedSlice(NodeShapes& node) {
  const Shape shape = node.at(0);
  const auto begins = node.constant(1);
  const auto ends = node.constant(2);
  const auto strides = node.constant(3);
  // What an ellipsis or a new axis comes to is not worked out here.
  if (!shape.known || !begins || !ends || !strides || node.integer("ellipsis_mask", 0) != 0 ||
      node.integer("new_axis_mask", 0) != 0 || node.integer("offset", 0) != 0 || begins->size() != ends->size() ||
      ends->size() != strides->size() || static_cast<int>(begins->size()) > shape.rank()) {
    return;
  }
  const auto masked = [&](const char* mask, int d) { return (node.integer(mask, 0) >> d & 1) != 0; };
  Dims dims;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t size = shape.dims[d];
    if (d >= static_cast<int>(begins->size())) {
      dims.push_back(size);
      continue;
    }
    if (masked("shrink_axis_mask", d)) continue;
    const int64_t stride = (*strides)[d];
    if (stride == 0) return;
    if (size < 0) {
      dims.push_back(kAnySize);
      continue;
    }
    const int64_t least = stride > 0 ? 0 : -1;
    const int64_t most = stride > 0 ? size : size - 1;
    const auto place = [&](int64_t stated) { return std::clamp(stated < 0 ? stated + size : stated, least, most); };
    const int64_t from = masked("begin_mask", d) ? (stride > 0 ? least : most) : place((*begins)[d]);
    const int64_t to = masked("end_mask", d) ? (stride > 0 ? most : least) : place((*ends)[d]);
    const int64_t span = stride > 0 ? to - from : from - to;
    const int64_t step = std::min<int64_t>(stride > 0 ? stride : -std::max<int64_t>(stride, -kMaxSize), kMaxSize);
    dims.push_back(span <= 0 ? 0 : (span + step - 1) / step);
  }
  node.Give(0, std::move(dims));
}

void Resize(NodeShapes& node) {
  const Shape shape = node.at(0);
  const auto size = Numbers(node, 1, 2);
  if (shape.known && shape.rank() == 4 && size) node.Give(0, {shape.dims[0], (*size)[0], (*size)[1], shape.dims[3]});
}

void Gather(NodeShapes& node) {
  const Shape data = node.at(0);
  const Shape indices = node.at(1);
  const auto axis = AxisOf(node.integer("axis", 0), data.rank());
  const int64_t batch = node.integer("batch_dims", 0);
  if (!data.known || !indices.known || !axis || batch < 0 || batch > indices.rank()) return;
  Dims dims(data.dims.begin(), data.dims.begin() + *axis);
  dims.insert(dims.end(), indices.dims.begin() + batch, indices.dims.end());
  dims.insert(dims.end(), data.dims.begin() + *axis + 1, data.dims.end());
  node.Give(0, std::move(dims));
}

void Split(NodeShapes& node) {
  const Shape shape = node.at(1);
  const auto stated = Numbers(node, 0, 1);
  const int64_t parts = node.integer("num_splits", 0);
  if (!shape.known || !stated || parts < 1) return;
  const auto axis = AxisOf(stated->front(), shape.rank());
  if (!axis) return;
  Dims dims = Copy(shape.dims);
  if (dims[*axis] >= 0 && dims[*axis] % parts != 0) {
    node.Conflict(1, absl::StrCat("shape ", ShapeText(shape.dims)),
                  absl::StrCat("a size along axis ", *axis, " that ", parts, " divides"));
    return;
  }
  dims[*axis] = dims[*axis] < 0 ? kAnySize : dims[*axis] / parts;
  for (int i = 0; i < node.num_outputs(); ++i) node.Give(i, dims);
}

void SpaceToDepth(NodeShapes& node) {
  const Shape shape = node.at(0);
  const int64_t block = node.integer("block_size", 0);
  if (!shape.known || shape.rank() != 4 || block < 1) return;
  Dims dims = Copy(shape.dims);
  for (int d : {1, 2}) {
    if (dims[d] >= 0 && dims[d] % block != 0) {
      node.Conflict(0, absl::StrCat("shape ", ShapeText(shape.dims)),
                    absl::StrCat("a size along axis ", d, " that ", block, " divides"));
      return;
    }
    dims[d] = dims[d] < 0 ? kAnySize : dims[d] / block;
  }
  dims[3] = Times(dims[3], Times(block, block));
  node.Give(0, std::move(dims));
}

void DepthToSpace(NodeShapes& node) {
  const Shape shape = node.at(0);
  const int64_t block = node.integer("block_size", 0);
  if (!shape.known || shape.rank() != 4 || block < 1 || block > INT32_MAX) return;
  Dims dims = Copy(shape.dims);
  if (dims[3] >= 0 && dims[3] % (block * block) != 0) {
    node.Conflict(0, absl::StrCat("shape ", ShapeText(shape.dims)),
                  absl::StrCat("channels that ", block * block, " divides"));
    return;
  }
  dims[3] = dims[3] < 0 ? kAnySize : dims[3] / (block * block);
  for (int d : {1, 2}) dims[d] = Times(dims[d], block);
  node.Give(0, std::move(dims));
}

void ShapeOf(NodeShapes& node) {
  if (const Shape shape = node.at(0); shape.known) node.Give(0, {shape.rank()});
}

void Stated(NodeShapes& node, int argument) {
  if (const auto dims = node.constant(argument)) node.Give(0, Copy(*dims));
}

void Fill(NodeShapes& node) { Stated(node, 0); }
void BroadcastTo(NodeShapes& node) { Stated(node, 1); }

void Tile(NodeShapes& node) {
  const Shape shape = node.at(0);
  const auto times = Numbers(node, 1, shape.rank());
  if (!shape.known || !times) return;
  Dims dims = Copy(shape.dims);
  for (int d = 0; d < shape.rank(); ++d) dims[d] = Times(dims[d], (*times)[d]);
  node.Give(0, std::move(dims));
}

const absl::flat_hash_map<absl::string_view, OutputShapes>& Functions() {
  static const auto* functions = [] {
    auto* made = new absl::flat_hash_map<absl::string_view, OutputShapes>{
        {"CONV_2D", Conv},
        {"DEPTHWISE_CONV_2D", DepthwiseConv},
        {"TRANSPOSE_CONV", TransposeConv},
        {"AVERAGE_POOL_2D", Pool},
        {"MAX_POOL_2D", Pool},
        {"L2_POOL_2D", Pool},
        {"FULLY_CONNECTED", FullyConnected},
        {"BATCH_MATMUL", BatchMatMul},
        {"SELECT_V2", Three},
        {"CONCATENATION", Concatenation},
        {"PACK", Pack},
        {"UNPACK", Unpack},
        {"EXPAND_DIMS", ExpandDims},
        {"SQUEEZE", Squeeze},
        {"RESHAPE", Reshape},
        {"TRANSPOSE", Transpose},
        {"ARG_MAX", ArgMax},
        {"ARG_MIN", ArgMax},
        {"PAD", Pad},
        {"PADV2", Pad},
        {"MIRROR_PAD", Pad},
        {"SLICE", Slice},
        {"STRIDED_SLICE", StridedSlice},
        {"RESIZE_BILINEAR", Resize},
        {"RESIZE_NEAREST_NEIGHBOR", Resize},
        {"GATHER", Gather},
        {"SPLIT", Split},
        {"SPACE_TO_DEPTH", SpaceToDepth},
        {"DEPTH_TO_SPACE", DepthToSpace},
        {"SHAPE", ShapeOf},
        {"FILL", Fill},
        {"BROADCAST_TO", BroadcastTo},
        {"TILE", Tile},
    };
    for (const char* op :
         {"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "POW", "FLOOR_DIV", "FLOOR_MOD",
          "EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "LOGICAL_AND", "LOGICAL_OR"}) {
      made->emplace(op, Pair);
    }
    for (const char* op : {"MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL"}) {
      made->emplace(op, Reduce);
    }
    for (const char* op : {"ABS",
                           "ADD_N",
                           "CAST",
                           "CEIL",
                           "COS",
                           "CUMSUM",
                           "DEQUANTIZE",
                           "ELU",
                           "EXP",
                           "FLOOR",
                           "GELU",
                           "HARD_SWISH",
                           "L2_NORMALIZATION",
                           "LEAKY_RELU",
                           "LOCAL_RESPONSE_NORMALIZATION",
                           "LOG",
                           "LOGICAL_NOT",
                           "LOGISTIC",
                           "LOG_SOFTMAX",
                           "NEG",
                           "PRELU",
                           "QUANTIZE",
                           "RELU",
                           "RELU6",
                           "RELU_0_TO_1",
                           "RELU_N1_TO_1",
                           "REVERSE_V2",
                           "ROUND",
                           "RSQRT",
                           "SIGN",
                           "SIN",
                           "SOFTMAX",
                           "SQRT",
                           "SQUARE",
                           "TANH",
                           "ZEROS_LIKE",
                           "REVERSE_SEQUENCE"}) {
      made->emplace(op, Like);
    }
    return made;
  }();
  return *functions;
}

}  // namespace

OutputShapes OutputShapesOf(absl::string_view op_type) {
  const auto found = Functions().find(op_type);
  return found == Functions().end() ? nullptr : found->second;
}

}  // namespace quantgate
