#include "rules/backends/qnn/tflite.h"

#include <algorithm>
#include <initializer_list>

#include "rules/backends/qnn/lowerers.h"
#include "rules/backends/tensor.h"
#include "rules/graph/elements.h"

namespace quantgate::qnn {
namespace {

// Of the argument at this position; nullopt: it is not there, or no constant.
std::optional<IntVector> ConstantAt(const NodeView& view, int argument, Emission& emission) {
  const Graph& graph = view.graph();
  if (argument >= graph.num_inputs(view.node())) return std::nullopt;
  const int32_t value = graph.input(view.node(), argument);
  if (value < 0 || !graph.is_constant(value)) return std::nullopt;
  *emission.looked_at_constants() = true;
  const IntegerView integers = IntegersOf(graph.value(value));
  if (integers.empty()) return std::nullopt;
  return IntVector(integers.begin(), integers.end());
}

// Dimension k is what dimension from[k] was. A tensor of another rank stays as it is.
void Permute(std::initializer_list<int> from, Emission& emission, BackendTensor& tensor) {
  if (tensor.rank != static_cast<int>(from.size())) return;
  const int axis = tensor.axis;
  auto& dims = emission.NewDims();
  int k = 0;
  for (int origin : from) {
    if (static_cast<size_t>(origin) < tensor.dims.size()) dims[k] = tensor.dims[origin];
    if (origin == axis) tensor.axis = k;
    ++k;
  }
  if (!tensor.dims.empty()) tensor.dims = absl::MakeConstSpan(dims.data(), tensor.rank);
}

void AddFilter(const NodeView& view, std::initializer_list<int> from, Emission& emission) {
  BackendTensor& filter = emission.AddInput();
  FillTensor(view, view.input(1), Layout::kSame, -1, emission, filter);
  Permute(from, emission, filter);
}

// 16-bit models keep biases in 64 bits; QNN has 32, and the toolchain stores them so.
void AddBias(const NodeView& view, Emission& emission) {
  const Operand* bias = view.input(2);
  if (bias == nullptr) return;
  BackendTensor& tensor = emission.AddInput();
  FillTensor(view, bias, Layout::kSame, -1, emission, tensor);
  if (tensor.type == db::ElementType{v1::DATA_TYPE_INT64, true}) {
    tensor.type.type = v1::DATA_TYPE_INT32;
    tensor.bits = 32;
  }
}

// What is fused into the operator, where it is more than a range.
Lowering Activated(const NodeView& view, Emission& emission) {
  const absl::string_view activation = view.text({"fused_activation_function"});
  const Operand* output = view.output(0);
  if (activation.empty() || activation == "NONE" || output == nullptr || output->quantized) return Emitted();
  if (activation == "SIGN_BIT") return NoCounterpart("QNN has no operator for the activation SIGN_BIT");
  const bool clamps = activation == "RELU6";
  emission.Begin(clamps                         ? "ReluMinMax"
                 : activation == "RELU_N1_TO_1" ? "Relu1"
                 : activation == "TANH"         ? "Tanh"
                                                : "Relu",
                 view.node());
  AddInput(view, output, emission);
  AddOutput(view, output, emission);
  if (clamps) {
    emission.AddReal("min_value", 0.0);
    emission.AddReal("max_value", 6.0);
  }
  return Emitted();
}

struct FilterWindow {
  int64_t kernel[2] = {1, 1};  // height, width
  int64_t stride[2] = {1, 1};
  int64_t dilation[2] = {1, 1};
};

FilterWindow FilterWindowOf(const NodeView& view, int64_t height, int64_t width) {
  FilterWindow window;
  window.kernel[0] = height;
  window.kernel[1] = width;
  window.stride[0] = view.integer({"stride_h"}).value_or(1);
  window.stride[1] = view.integer({"stride_w"}).value_or(1);
  // The schema's own spelling.
  window.dilation[0] = view.integer({"dilation_h_factor"}).value_or(1);
  window.dilation[1] = view.integer({"dilation_w_factor"}).value_or(1);
  return window;
}

// SAME: what the output's size leaves, the odd one behind. `narrow` and `wide`: the tensors with the fewer and the more
// elements per window.
void AddPads(const NodeView& view, const FilterWindow& window, const Operand* narrow, const Operand* wide,
             Emission& emission) {
  BackendParam& pads = emission.AddParam("pad_amount");
  const bool same = view.text({"padding"}) == "SAME";
  for (int i = 0; i < 2; ++i) {
    const int64_t out = view.dim(narrow, i + 1), in = view.dim(wide, i + 1);
    int64_t total = 0;
    if (same && out > 0 && in > 0 && out <= in && window.kernel[i] > 0) {
      const int64_t stride = std::clamp<int64_t>(window.stride[i], 1, 1 << 20);
      const int64_t reach =
          std::clamp<int64_t>(window.dilation[i], 1, 1 << 20) * std::clamp<int64_t>(window.kernel[i] - 1, 0, 1 << 20);
      total = std::max<int64_t>(0, (std::min<int64_t>(out, 1 << 20) - 1) * stride + reach + 1 - in);
    }
    pads.ints.push_back(total / 2);
    pads.ints.push_back(total - total / 2);
  }
}

void AddPair(absl::string_view name, const int64_t (&numbers)[2], Emission& emission) {
  emission.AddParam(name).ints.assign(numbers, numbers + 2);
}

Lowering LowerConv(const NodeView& view, Emission& emission) {
  const Operand* input = view.input(0);
  const Operand* weight = view.input(1);
  if (view.rank(weight) != 4) return Unknown("a convolution that is not two-dimensional is not translated yet");
  const bool depthwise = view.op().op->id == OpId::kDepthwiseConv;
  emission.Begin(depthwise ? "DepthWiseConv2d" : "Conv2d", view.node());
  AddInput(view, input, emission);
  if (depthwise) {
    AddFilter(view, {1, 2, 0, 3}, emission);
  } else {
    AddFilter(view, {1, 2, 3, 0}, emission);
  }
  AddBias(view, emission);
  AddOutput(view, view.output(0), emission);
  const FilterWindow window = FilterWindowOf(view, view.dim(weight, 1), view.dim(weight, 2));
  AddPair("stride", window.stride, emission);
  AddPads(view, window, view.output(0), input, emission);
  AddPair("dilation", window.dilation, emission);
  if (!depthwise) {
    const int64_t channels = view.dim(input, 3), per_group = view.dim(weight, 3);
    emission.AddInt("group", channels > 0 && per_group > 0 ? std::max<int64_t>(1, channels / per_group) : 1);
  }
  return Activated(view, emission);
}

Lowering LowerTransposedConv(const NodeView& view, Emission& emission) {
  const Operand* weight = view.input(1);
  if (view.rank(weight) != 4) return Unknown("a convolution that is not two-dimensional is not translated yet");
  emission.Begin("TransposeConv2d", view.node());
  AddInput(view, view.input(0), emission);
  AddFilter(view, {1, 2, 3, 0}, emission);
  AddBias(view, emission);
  AddOutput(view, view.output(0), emission);
  const FilterWindow window = FilterWindowOf(view, view.dim(weight, 1), view.dim(weight, 2));
  AddPair("stride", window.stride, emission);
  AddPads(view, window, view.input(0), view.output(0), emission);
  emission.AddParam("output_padding").ints.assign(2, 0);
  emission.AddInt("group", 1);
  return Activated(view, emission);
}

Lowering LowerFullyConnected(const NodeView& view, Emission& emission) {
  if (view.integer({"weights_format"}).value_or(0) != 0) return NoCounterpart("the weights are in a shuffled format");
  // As it is everywhere, but for the bias.
  emission.Begin("FullyConnected", view.node());
  AddInput(view, view.input(0), emission);
  AddInput(view, view.input(1), emission);
  AddBias(view, emission);
  BackendTensor full;
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, full);
  BackendTensor flat = full;
  if (full.rank > 2) {
    flat.rank = 2;
    flat.dims = {};
  }
  emission.AddOutput() = flat;
  emission.AddInt("keep_dims", 0);
  if (full.rank > 2) {
    emission.Begin("Reshape", view.node());
    emission.AddInput() = flat;
    emission.AddOutput() = full;
  }
  return Activated(view, emission);
}

Lowering LowerBatchMatMul(const NodeView& view, Emission& emission) {
  emission.Begin("MatMul", view.node());
  AddInput(view, view.input(0), emission);
  AddInput(view, view.input(1), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("transpose_in0", view.integer({"adj_x"}).value_or(0));
  emission.AddInt("transpose_in1", view.integer({"adj_y"}).value_or(0));
  return Emitted();
}

Lowering LowerPool(const NodeView& view, Emission& emission) {
  const bool max = view.op().op->id == OpId::kMaxPool;
  if (view.rank(view.input(0)) != 4) return Unknown("the input's rank is not known");
  emission.Begin(max ? "PoolMax2d" : "PoolAvg2d", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  const FilterWindow window =
      FilterWindowOf(view, view.integer({"filter_height"}).value_or(1), view.integer({"filter_width"}).value_or(1));
  AddPair("filter_size", window.kernel, emission);
  AddPair("stride", window.stride, emission);
  AddPads(view, window, view.output(0), view.input(0), emission);
  emission.AddInt("rounding_mode", 0);
  if (!max) emission.AddInt("count_pad_for_edges", 0);
  return Activated(view, emission);
}

Lowering LowerConversion(const NodeView& view, Emission& emission) {
  const Operand *input = view.input(0), *output = view.output(0);
  if (input == nullptr || output == nullptr) return Unknown("no input or no output");
  const absl::string_view type = view.op_type();
  absl::string_view name = "Cast";
  if (type == "QUANTIZE") name = input->quantized ? "Convert" : "Quantize";
  if (type == "DEQUANTIZE" && input->quantized) name = "Dequantize";
  return LowerSame(view, name, emission);
}

Lowering LowerResizing(const NodeView& view, Emission& emission) {
  const bool bilinear = view.op().op->id == OpId::kResizeBilinear;
  emission.Begin(bilinear ? "ResizeBilinear" : "ResizeNearestNeighbor", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("align_corners", view.integer({"align_corners"}).value_or(0));
  emission.AddInt("half_pixel_centers", view.integer({"half_pixel_centers"}).value_or(0));
  return Emitted();
}

Lowering LowerPermutation(const NodeView& view, Emission& emission) {
  const std::optional<IntVector> order = ConstantAt(view, 1, emission);
  if (!order) return NoCounterpart("QNN's Transpose needs an order that is a constant");
  emission.Begin("Transpose", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  BackendParam& perm = emission.AddParam("perm");
  for (int64_t axis : *order) perm.ints.push_back(Normalize(axis, view.rank(view.input(0))));
  return Emitted();
}

Lowering LowerPadding(const NodeView& view, Emission& emission) {
  const Graph& graph = view.graph();
  const int32_t amounts = graph.num_inputs(view.node()) > 1 ? graph.input(view.node(), 1) : -1;
  if (amounts < 0 || !graph.is_constant(amounts)) return NoCounterpart("QNN's Pad needs amounts that are constants");
  const absl::string_view mode = view.text({"mode"});
  emission.Begin("Pad", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  // CONSTANT, MIRROR_SYMMETRIC, MIRROR_REFLECT
  emission.AddInt("scheme", view.op_type() != "MIRROR_PAD" ? 0 : mode == "SYMMETRIC" ? 1 : 2);
  // Of a constant with more than one dimension the importer may keep the range alone: an amount of unknown value.
  const std::optional<IntVector> known = ConstantAt(view, 1, emission);
  BackendParam& amount = emission.AddParam("pad_amount");
  if (known) amount.ints.assign(known->begin(), known->end());
  return Emitted();
}

// Begin, end and step of every dimension; what is not known stays out.
Lowering LowerSlices(const NodeView& view, Emission& emission) {
  emission.Begin("StridedSlice", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  const std::optional<IntVector> begin = ConstantAt(view, 1, emission), second = ConstantAt(view, 2, emission);
  const bool strided = view.op_type() == "STRIDED_SLICE";
  const std::optional<IntVector> steps = strided ? ConstantAt(view, 3, emission) : std::nullopt;
  const auto mask = [&](absl::string_view name) { return strided ? view.integer({name}).value_or(0) : 0; };
  // Bit masks of dimensions are the same in both.
  const int64_t shrunk = mask("shrink_axis_mask");
  if (shrunk != 0) emission.AddInt("shrink_axes", shrunk);
  const int rank = view.rank(view.input(0));
  BackendParam& ranges = emission.AddParam("ranges");
  // Masks that add dimensions leave the positions to the toolchain.
  const bool plain = mask("ellipsis_mask") == 0 && mask("new_axis_mask") == 0;
  if (!begin || !second || (strided && !steps) || !plain || static_cast<int>(begin->size()) > rank ||
      begin->size() != second->size() || (steps && steps->size() != begin->size())) {
    return Emitted();
  }
  for (int i = 0; i < rank; ++i) {
    const int64_t size = view.dim(view.input(0), i);
    if (size < 0) {
      ranges.ints.clear();
      break;
    }
    if (i >= static_cast<int>(begin->size())) {
      ranges.ints.insert(ranges.ints.end(), {0, size, 1});
      continue;
    }
    int64_t from = (*begin)[i], to = (*second)[i];
    if (!strided) {
      to = to < 0 || __builtin_add_overflow(from, to, &to) ? size : std::min(to, size);
      ranges.ints.insert(ranges.ints.end(), {from, to, 1});
      continue;
    }
    const int64_t step = (*steps)[i];
    const auto masked = [&](absl::string_view name) { return i < 32 && (mask(name) >> i & 1) != 0; };
    if (from < 0) from += size;
    if (to < 0) to += size;
    // A backward one begins with the last element and ends before the first.
    if (masked("begin_mask")) from = step < 0 ? size - 1 : 0;
    if (masked("end_mask")) to = step < 0 ? -1 : size;
    if (masked("shrink_axis_mask")) to = from == INT64_MAX ? from : from + 1;
    ranges.ints.insert(ranges.ints.end(), {from, std::min(to, size), step});
  }
  return Emitted();
}

Lowering LowerSplitting(const NodeView& view, Emission& emission) {
  const std::optional<IntVector> axes = ConstantAt(view, view.op_type() == "SPLIT" ? 0 : 2, emission);
  if (!axes) return NoCounterpart("QNN's Split needs an axis that is a constant");
  const int64_t axis = Normalize((*axes)[0], view.rank(view.input(0)));
  emission.Begin("Split", view.node());
  AddInput(view, view.input(0), emission);
  for (const Operand& output : view.outputs()) AddOutput(view, &output, emission);
  emission.AddInt("axis", axis);
  BackendParam& index = emission.AddParam("split_index");
  int64_t position = 0;
  for (size_t i = 0; i + 1 < view.outputs().size(); ++i) {
    const int64_t size = axis < 0 || axis > kMaxBackendRank ? -1 : view.dim(&view.outputs()[i], static_cast<int>(axis));
    if (size < 0 || __builtin_add_overflow(position, size, &position)) {
      return Unknown("the size of an output along the split axis is not known");
    }
    index.ints.push_back(position);
  }
  return Emitted();
}

Lowering LowerArgMinMax(const NodeView& view, Emission& emission) {
  const std::optional<IntVector> axis = ConstantAt(view, 1, emission);
  if (!axis) return NoCounterpart("QNN's Argmax and Argmin need an axis that is a constant");
  emission.Begin(view.op().op->id == OpId::kArgMax ? "Argmax" : "Argmin", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("axis", Normalize((*axis)[0], view.rank(view.input(0))));
  emission.AddInt("keep_dims", 0);
  return Emitted();
}

Lowering LowerBlocks(const NodeView& view, Emission& emission) {
  const bool to_space = view.op().op->id == OpId::kDepthToSpace;
  emission.Begin(to_space ? "DepthToSpace" : "SpaceToDepth", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddParam("block_size").ints.assign(2, view.integer({"block_size"}).value_or(1));
  emission.AddInt("mode", 0);  // depth, column, row
  return Emitted();
}

}  // namespace

std::optional<Lowering> LowerTflite(const NodeView& view, Emission& emission) {
  if (view.op().op == nullptr) return std::nullopt;
  switch (view.op().op->id) {
    case OpId::kConv:
    case OpId::kDepthwiseConv:
      return LowerConv(view, emission);
    case OpId::kConvTranspose:
      return LowerTransposedConv(view, emission);
    case OpId::kLinear:
      return LowerFullyConnected(view, emission);
    case OpId::kMatMul:
      return LowerBatchMatMul(view, emission);
    case OpId::kMaxPool:
    case OpId::kAveragePool:
      return LowerPool(view, emission);
    case OpId::kCast:
      return LowerConversion(view, emission);
    case OpId::kResizeBilinear:
    case OpId::kResizeNearest:
      return LowerResizing(view, emission);
    case OpId::kTranspose:
      return LowerPermutation(view, emission);
    case OpId::kPad:
      return LowerPadding(view, emission);
    case OpId::kSlice:
      return LowerSlices(view, emission);
    case OpId::kSplit:
      return LowerSplitting(view, emission);
    case OpId::kArgMax:
    case OpId::kArgMin:
      return LowerArgMinMax(view, emission);
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
      return LowerBlocks(view, emission);
    case OpId::kOpaque:
    case OpId::kLstmGates:
    case OpId::kRnn:
      return Unknown("this operator of LiteRT is not translated to QNN yet");
    case OpId::kAdd:
    case OpId::kSub:
    case OpId::kMul:
    case OpId::kDiv: {
      const absl::string_view name = view.op().op->id == OpId::kAdd   ? "ElementWiseAdd"
                                     : view.op().op->id == OpId::kSub ? "ElementWiseSubtract"
                                     : view.op().op->id == OpId::kMul ? "ElementWiseMultiply"
                                                                      : "ElementWiseDivide";
      const Lowering lowering = LowerBinary(view, name, emission);
      return lowering.status == Lowering::kEmitted ? Activated(view, emission) : lowering;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace quantgate::qnn
