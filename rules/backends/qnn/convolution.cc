#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "rules/backends/qnn/fusion.h"
#include "rules/backends/qnn/lowerers.h"
#include "rules/backends/shared_encoding.h"

namespace quantgate::qnn {
namespace {

// Ports of operators with weights. A float activation with an integer weight runs in half precision, and that is what
// the toolchains then declare (FLOAT_16 x SFIXED_POINT_8 is a row, FLOAT_32 x SFIXED_POINT_8 is none).
bool HalfPrecision(const Operand* input, const Operand* weight) {
  return input != nullptr && weight != nullptr && !input->quantized && weight->quantized;
}

void ToHalf(BackendTensor& tensor) {
  if (tensor.present && tensor.type == db::ElementType{v1::DATA_TYPE_FLOAT32, false}) {
    tensor.type.type = v1::DATA_TYPE_FLOAT16;
  }
}

// ExecuTorch computes a layer whose output nobody quantizes in half precision, and casts even what it reads quantized
// (_passes/insert_cast_for_fp_act_quantized_weight.py). Of a bias that is quantized it is not known.
bool CastsToHalf(const NodeView& view, const BackendTensor& input) {
  const Operand* weight = view.input(1);
  const Operand* bias = view.input(2);
  const Operand* output = view.output(0);
  if (view.graph().origin() != v1::Graph::PT2E || weight == nullptr || output == nullptr) return false;
  const bool is_open = !output->quantized && SharedEncoding(view.context(), *output) == nullptr;
  return is_open && input.type.quantized && weight->quantized &&
         (bias == nullptr || !bias->present || !bias->quantized);
}

void CastToHalf(const NodeView& view, BackendTensor& tensor, Emission& emission) {
  BackendTensor half;
  half.present = true;
  half.type = {v1::DATA_TYPE_FLOAT16, false};
  half.bits = 16;
  half.dynamic_shape = tensor.dynamic_shape;
  half.rank = tensor.rank;
  half.dims = tensor.dims;
  half.value = tensor.value;
  half.argument = tensor.argument;
  AddUnary("Cast", view, tensor, half, emission);
  tensor = half;
}

bool IsFixed16(const BackendTensor& tensor) {
  return tensor.type.quantized && (tensor.type.type == v1::DATA_TYPE_INT16 || tensor.type.type == v1::DATA_TYPE_UINT16);
}

struct Geometry {
  int rank = 0;      // of the origin's tensors
  int spatial = 0;   // spatial dimensions of the origin
  int inserted = 0;  // spatial dimensions of size 1 that the lowering puts in front
  bool channels_first = true;
};

const Operand* OutputOf(const NodeView& view) {
  const Operand* fused = BatchNormOutputOf(view.context(), view.op());
  return fused != nullptr ? fused : view.output(0);
}

void EmitReshape(const NodeView& view, const Operand* operand, const Geometry& geometry, bool before, bool half,
                 Emission& emission) {
  const Layout layout = geometry.channels_first ? Layout::kChannelsLast : Layout::kSame;
  const int wide = geometry.rank + geometry.inserted;
  emission.Begin("Reshape", view.node());
  BackendTensor& input = emission.AddInput();
  FillTensor(view, operand, layout, before ? geometry.rank : wide, emission, input);
  if (half) ToHalf(input);
  BackendTensor& output = emission.AddOutput();
  FillTensor(view, operand, layout, before ? wide : geometry.rank, emission, output);
  if (half) ToHalf(output);
}

// Zeros between the elements of a kernel [spatial..., in, out]: none in the dimensions of size 1 that lead it.
void Dilate(const IntVector& dilation, const Geometry& geometry, Emission& emission, BackendTensor& kernel) {
  if (dilation.empty() || static_cast<int>(kernel.dims.size()) != geometry.rank + geometry.inserted) return;
  auto& dims = emission.NewDims();
  absl::c_copy(kernel.dims, dims.begin());
  for (int i = 0; i < geometry.spatial; ++i) {
    int64_t& size = dims[geometry.inserted + i];
    const int64_t step = dilation[std::min<size_t>(i, dilation.size() - 1)];
    // Sizes come from the file: one that overflows is unknown.
    if (size < 1 || step < 1 || __builtin_mul_overflow(size - 1, step, &size)) {
      size = -1;
    } else {
      ++size;
    }
  }
  kernel.dims = absl::MakeConstSpan(dims.data(), kernel.dims.size());
}

// `dilation`: of the kernel itself; null: none.
void EmitConvolution(const NodeView& view, absl::string_view name, const Geometry& geometry, Layout filter,
                     Emission& emission, const IntVector* dilation = nullptr) {
  const Operand* input = view.input(0);
  const Operand* weight = view.input(1);
  const bool half = HalfPrecision(input, weight);
  const int rank = geometry.rank + geometry.inserted;
  const Layout activation = geometry.channels_first ? Layout::kChannelsLast : Layout::kSame;
  if (geometry.inserted > 0) EmitReshape(view, input, geometry, true, half, emission);
  emission.Begin(name, view.node());
  BackendTensor& in0 = emission.AddInput();
  FillTensor(view, input, activation, rank, emission, in0);
  if (half) ToHalf(in0);
  BackendTensor& in1 = emission.AddInput();
  FillTensor(view, weight, geometry.channels_first ? filter : Layout::kSame, rank, emission, in1);
  if (dilation != nullptr) Dilate(*dilation, geometry, emission, in1);
  if (const Operand* bias = view.input(2)) {
    BackendTensor& in2 = emission.AddInput();
    FillTensor(view, bias, Layout::kSame, -1, emission, in2);
    if (half) ToHalf(in2);
  }
  BackendTensor& out0 = emission.AddOutput();
  FillTensor(view, OutputOf(view), activation, rank, emission, out0);
  if (half) ToHalf(out0);
}

Geometry GeometryOf(const NodeView& view) {
  Geometry geometry;
  geometry.channels_first = view.channels_first();
  geometry.rank = view.rank(view.input(1));
  if (geometry.rank < 0) geometry.rank = view.rank(view.input(0));
  geometry.spatial = geometry.rank - 2;
  geometry.inserted = geometry.rank == 3 ? 1 : 0;
  return geometry;
}

}  // namespace

void AddSpatial(const NodeView& view, absl::string_view param, Names attributes, const IntVector* fallback, int spatial,
                int inserted, Emission& emission) {
  const std::optional<IntVector> given = view.integers(attributes);
  const int64_t filler = param == "output_padding" ? 0 : 1;
  BackendParam& out = emission.AddParam(param);
  for (int i = 0; i < inserted; ++i) out.ints.push_back(filler);
  for (int i = 0; i < spatial; ++i) {
    if (given && !given->empty()) {
      out.ints.push_back(given->size() == 1 ? (*given)[0] : i < static_cast<int>(given->size()) ? (*given)[i] : filler);
    } else if (fallback != nullptr && i < static_cast<int>(fallback->size())) {
      out.ints.push_back((*fallback)[i]);
    } else {
      out.ints.push_back(filler);
    }
  }
}

namespace {

// Of a convolution whose padding is told in words (ATen's "same", ONNX's auto_pad): all befores, then all afters.
// nullopt: it is told in numbers, or sizes that it depends on are not known.
std::optional<IntVector> PadsInWords(const NodeView& view, int spatial) {
  const absl::string_view words = view.text({"auto_pad", "padding"});
  const bool lower = words == "SAME_LOWER";
  if (!view.channels_first() || (!lower && words != "SAME_UPPER" && words != "same")) return std::nullopt;
  const std::optional<IntVector> strides = view.integers({"strides", "stride"});
  const std::optional<IntVector> dilations = view.integers({"dilations", "dilation"});
  const auto at = [](const std::optional<IntVector>& given, int i) -> int64_t {
    if (!given || given->empty()) return 1;
    return (*given)[std::min<size_t>(i, given->size() - 1)];
  };
  IntVector pads(size_t{2} * spatial, 0);
  for (int i = 0; i < spatial; ++i) {
    const int64_t size = view.dim(view.input(0), i + 2);
    const int64_t kernel = view.dim(view.input(1), i + 2);
    const int64_t stride = at(strides, i);
    if (kernel < 1 || stride < 1 || (stride > 1 && size < 1)) return std::nullopt;
    const int64_t covered = at(dilations, i) * (kernel - 1);  // beyond the first element
    const int64_t total =
        std::max<int64_t>(0, stride == 1 ? covered : (size - 1) / stride * stride + covered + 1 - size);
    pads[i] = lower ? total - total / 2 : total / 2;
    pads[i + spatial] = total - pads[i];
  }
  return pads;
}

}  // namespace

void AddPadAmount(const NodeView& view, int spatial, int inserted, Emission& emission, std::optional<IntVector> pads) {
  if (!pads) pads = view.integers({"pads", "padding"});
  BackendParam& out = emission.AddParam("pad_amount");
  for (int i = 0; i < 2 * inserted; ++i) out.ints.push_back(0);
  for (int i = 0; i < spatial; ++i) {
    int64_t before = 0;
    int64_t after = 0;
    if (pads && static_cast<int>(pads->size()) == 2 * spatial) {  // ONNX: all befores, then all afters
      before = (*pads)[i];
      after = (*pads)[i + spatial];
    } else if (pads && !pads->empty()) {  // ATen: the same on both sides
      before = after = pads->size() == 1 ? (*pads)[0] : i < static_cast<int>(pads->size()) ? (*pads)[i] : 0;
    }
    out.ints.push_back(before);
    out.ints.push_back(after);
  }
}

Lowering LowerConvolution(const NodeView& view, absl::string_view, Emission& emission) {
  if (view.integer({"transposed"}).value_or(0) != 0) return LowerTransposedConvolution(view, {}, emission);
  const Geometry geometry = GeometryOf(view);
  if (geometry.rank < 3 || geometry.rank > 5) return Unknown("neither the input's nor the weight's rank is known");
  const int64_t groups = view.integer({"group", "groups"}).value_or(1);
  // Depthwise: one input channel per group. ExecuTorch makes it of more than two groups alone.
  const int64_t fewest = view.graph().origin() == v1::Graph::PT2E ? 3 : 2;
  const int64_t per_group = view.channels_first() ? view.dim(view.input(1), 1) : -1;
  const bool depthwise = geometry.rank < 5 && groups >= fewest &&
                         (per_group == 1 || (per_group < 0 && view.dim(view.input(0), 1) == groups));
  const absl::string_view name = geometry.rank == 5 ? "Conv3d" : depthwise ? "DepthWiseConv2d" : "Conv2d";
  EmitConvolution(view, name, geometry, Layout::kFilter, emission);
  AddSpatial(view, "stride", {"strides", "stride"}, nullptr, geometry.spatial, geometry.inserted, emission);
  AddPadAmount(view, geometry.spatial, geometry.inserted, emission, PadsInWords(view, geometry.spatial));
  AddSpatial(view, "dilation", {"dilations", "dilation"}, nullptr, geometry.spatial, geometry.inserted, emission);
  if (!depthwise) emission.AddInt("group", groups);
  if (geometry.inserted > 0) {
    EmitReshape(view, OutputOf(view), geometry, false, HalfPrecision(view.input(0), view.input(1)), emission);
  }
  return Emitted();
}

Lowering LowerTransposedConvolution(const NodeView& view, absl::string_view, Emission& emission) {
  const Geometry geometry = GeometryOf(view);
  if (geometry.rank < 3 || geometry.rank > 5) return Unknown("neither the input's nor the weight's rank is known");
  std::optional<IntVector> dilation = view.integers({"dilations", "dilation"});
  const bool dilated = dilation && absl::c_any_of(*dilation, [](int64_t value) { return value != 1; });
  // ExecuTorch puts the zeros between the kernel's elements itself.
  const bool in_kernel = dilated && view.graph().origin() == v1::Graph::PT2E;
  if (dilated && !in_kernel && geometry.rank < 5) return NoCounterpart("QNN's TransposeConv2d has no dilation");
  EmitConvolution(view, geometry.rank == 5 ? "TransposeConv3d" : "TransposeConv2d", geometry, Layout::kTransposedFilter,
                  emission, in_kernel ? &*dilation : nullptr);
  AddSpatial(view, "stride", {"strides", "stride"}, nullptr, geometry.spatial, geometry.inserted, emission);
  AddPadAmount(view, geometry.spatial, geometry.inserted, emission);
  if (geometry.rank == 5 && !in_kernel) {
    AddSpatial(view, "dilation", {"dilations", "dilation"}, nullptr, geometry.spatial, 0, emission);
  }
  AddSpatial(view, "output_padding", {"output_padding"}, nullptr, geometry.spatial, geometry.inserted, emission);
  emission.AddInt("group", view.integer({"group", "groups"}).value_or(1));
  if (geometry.inserted > 0) {
    EmitReshape(view, OutputOf(view), geometry, false, HalfPrecision(view.input(0), view.input(1)), emission);
  }
  return Emitted();
}

namespace {

// As a matrix: all dimensions but the last are joined.
BackendTensor Flattened(const BackendTensor& tensor, Emission& emission) {
  BackendTensor flat = tensor;
  flat.rank = 2;
  flat.dims = {};
  if (tensor.dims.empty()) return flat;
  auto& dims = emission.NewDims();
  dims[0] = 1;
  for (int i = 0; i + 1 < tensor.rank; ++i) {
    // Sizes come from the file: an overflow or an unknown size makes the product unknown.
    if (dims[0] < 0 || tensor.dims[i] < 0 || __builtin_mul_overflow(dims[0], tensor.dims[i], &dims[0])) dims[0] = -1;
  }
  dims[1] = tensor.dims[tensor.rank - 1];
  flat.dims = absl::MakeConstSpan(dims.data(), 2);
  return flat;
}

}  // namespace

Lowering LowerLinear(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* input = view.input(0);
  const Operand* weight = view.input(1);
  const OpId id = view.op().op != nullptr ? view.op().op->id : OpId::kUnknown;
  if (view.integer({"transA"}).value_or(0) != 0) return NoCounterpart("FullyConnected cannot transpose its input");
  if (view.real({"alpha"}).value_or(1.0) != 1.0 || view.real({"beta"}).value_or(1.0) != 1.0) {
    return NoCounterpart("FullyConnected has no alpha and beta; both must be 1");
  }
  // QNN wants [out, in]. A MatMul never has that, a Gemm with transB = 1 only; the toolchain transposes otherwise.
  const bool swap = id == OpId::kMatMul || (id == OpId::kGemm && view.integer({"transB"}).value_or(0) == 0);
  BackendTensor read;
  FillTensor(view, input, Layout::kSame, -1, emission, read);
  const bool casts = CastsToHalf(view, read);
  const bool half = casts || HalfPrecision(input, weight);
  if (casts) CastToHalf(view, read, emission);
  emission.Begin(name, view.node());
  BackendTensor& in0 = emission.AddInput();
  in0 = read;
  // ExecuTorch flattens by a Reshape of its own in front: of more dimensions than HTP has, that alone is refused.
  constexpr int kMostDimensions = 5;
  if (view.graph().origin() == v1::Graph::PT2E && in0.rank > kMostDimensions) in0 = Flattened(in0, emission);
  if (half) ToHalf(in0);
  AddInput(view, weight, emission, swap ? Layout::kSwapLastTwo : Layout::kSame);
  if (const Operand* bias = view.input(2)) {
    BackendTensor& in2 = emission.AddInput();
    FillTensor(view, bias, Layout::kSame, -1, emission, in2);
    if (half) ToHalf(in2);
  }
  BackendTensor full;
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, full);
  if (half) ToHalf(full);
  // FullyConnected flattens: its output always has rank 2, a Reshape restores the rest.
  const BackendTensor flat = full.rank > 2 ? Flattened(full, emission) : full;
  emission.AddOutput() = flat;
  emission.AddInt("keep_dims", 0);
  if (full.rank > 2) {
    emission.Begin("Reshape", view.node());
    emission.AddInput() = flat;
    emission.AddOutput() = full;
  }
  return Emitted();
}

Lowering LowerMatMul(const NodeView& view, absl::string_view name, Emission& emission) {
  // Converters of ONNX make a matrix of it; ExecuTorch hands it on.
  const auto is_vector = [&](int port) { return view.rank(view.input(port)) == 1; };
  if (view.graph().origin() == v1::Graph::PT2E && (is_vector(0) || is_vector(1))) {
    return NoCounterpart("QNN's MatMul takes no vectors");
  }
  const bool half = HalfPrecision(view.input(0), view.input(1));
  BackendTensor first;
  BackendTensor second;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, first);
  FillTensor(view, view.input(1), Layout::kSame, -1, emission, second);
  if (half) ToHalf(first);
  if (view.graph().origin() == v1::Graph::ONNX && IsFixed16(first) && IsFixed16(second) && !second.static_chain) {
    // Both ways from ONNX (the provider, and the converter unless told otherwise) narrow a run-time second operand.
    emission.Begin("Convert", view.node());
    emission.AddInput() = second;
    second.type.type = v1::DATA_TYPE_UINT8;
    second.bits = 8;
    second.symmetric = second.asked_symmetric = Tri::kYes;
    second.qparams = nullptr;
    emission.AddOutput() = second;
  }
  emission.Begin(name, view.node());
  emission.AddInput() = first;
  emission.AddInput() = second;
  BackendTensor& out0 = emission.AddOutput();
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, out0);
  if (half) ToHalf(out0);
  emission.AddInt("transpose_in0", 0);
  emission.AddInt("transpose_in1", 0);
  return Emitted();
}

}  // namespace quantgate::qnn
