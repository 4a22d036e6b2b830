#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/run/lowering.h"

namespace quantgate::simulator {
namespace {

absl::Status SetActivation(const NodeReader& node, Attributes& to) {
  const absl::string_view activation = node.Text("fused_activation_function");
  if (activation.empty() || activation == "NONE") return absl::OkStatus();
  if (activation == "RELU") {
    to.SetText("activation", "relu");
  } else if (activation == "RELU6") {
    to.SetText("activation", "relu6");
  } else if (activation == "RELU_N1_TO_1") {
    to.SetText("activation", "relu_n1_to_1");
  } else {
    return absl::UnimplementedError(absl::StrCat("the fused activation ", activation));
  }
  return absl::OkStatus();
}

void SetPadding(const NodeReader& node, Attributes& to) {
  if (node.Text("padding") == "SAME") to.SetText("auto_pad", "SAME_UPPER");
}

void SetAccumulator(const NodeReader& node, Attributes& to) {
  const v1::Attribute* bias = node.attribute("quantized_bias_type");
  if (bias == nullptr) return;
  if (bias->dtype() == v1::DATA_TYPE_INT32) to.SetInt("accumulator_bits", 32);
  if (bias->dtype() == v1::DATA_TYPE_INT64) to.SetInt("accumulator_bits", 64);
}

absl::Status LowerConv(const NodeReader& node, Lowered& lowered) {
  Attributes& to = lowered.attributes;
  SetAccumulator(node, to);
  const bool spatial3 = node.op_type() == "CONV_3D" || node.op_type() == "CONV_3D_TRANSPOSE";
  const int64_t dilation_h = node.Int("dilation_h_factor", 1);
  const int64_t dilation_w = node.Int("dilation_w_factor", 1);
  if (spatial3) {
    return absl::UnimplementedError("LiteRT's convolutions of three axes");
  }
  to.SetInts("strides", {node.Int("stride_h", 1), node.Int("stride_w", 1)});
  to.SetInts("dilations", {dilation_h, dilation_w});
  SetPadding(node, to);
  // Groups are what the weight has fewer channels for than the data.
  const absl::Span<const int64_t> data = node.Dims(lowered.op == OpId::kConvTranspose ? 2 : 0), weight = node.Dims(1);
  if (lowered.op == OpId::kConv && data.size() == 4 && weight.size() == 4 && weight[3] > 0 &&
      data[3] % weight[3] == 0) {
    to.SetInt("group", data[3] / weight[3]);
  }
  if (lowered.op == OpId::kDepthwiseConv && data.size() == 4) to.SetInt("group", data[3]);
  if (lowered.op == OpId::kConvTranspose) {
    const std::optional<Integers> shape = node.ArgumentInts(0);
    if (!shape.has_value() || shape->size() != 4) return Unknown("sizes of the output");
    to.SetInts("output_shape", {(*shape)[1], (*shape)[2]});
    // What the sizes leave over is a pad in front, as for SAME.
    to.SetText("auto_pad", node.Text("padding") == "SAME" ? "SAME_UPPER" : "VALID");
  }
  return SetActivation(node, to);
}

// (in front, behind) of each axis: all that are in front, then all behind.
Integers FrontThenBehind(const Integers& pairs) {
  const size_t axes = pairs.size() / 2;
  Integers turned(2 * axes);
  for (size_t i = 0; i < axes; ++i) {
    turned[i] = pairs[2 * i];
    turned[axes + i] = pairs[2 * i + 1];
  }
  return turned;
}

// The type of what is written decides, and its parameters say nothing: the kernel copies what is stored.
absl::Status LowerOneHot(const NodeReader& node, Lowered& lowered) {
  const std::optional<Integers> depth = node.ArgumentInts(1);
  const Tensor *on = node.Argument(2), *off = node.Argument(3);
  if (!depth.has_value() || depth->empty() || on == nullptr || off == nullptr) return Unknown("depth and values");
  Attributes& to = lowered.attributes;
  to.SetInt("depth", (*depth)[0]);
  to.SetInt("axis", node.Int("axis", 0));  // the schema's default
  to.SetInt("to", on->type);
  for (const auto& [name, argument] : {std::pair("on", 2), std::pair("off", 3)}) {
    if (IsFloat(on->type)) {
      to.SetFloat(name, node.ArgumentReal(argument).value_or(0));
    } else {
      const std::optional<Integers> integers = node.ArgumentInts(argument);
      if (!integers.has_value() || integers->empty()) return Unknown("values");
      to.SetInt(name, (*integers)[0]);
    }
  }
  lowered.data_ports = 1;
  return absl::OkStatus();
}

absl::Status LowerStridedSlice(const NodeReader& node, Lowered& lowered) {
  const std::optional<Integers> begin = node.ArgumentInts(1), end = node.ArgumentInts(2), step = node.ArgumentInts(3);
  const absl::Span<const int64_t> dims = node.Dims(0);
  if (!begin.has_value() || !end.has_value() || !step.has_value()) return Unknown("starts and ends");
  if (node.Int("ellipsis_mask", 0) != 0 || node.Int("new_axis_mask", 0) != 0) {
    return absl::UnimplementedError("a strided slice with an ellipsis or new axes");
  }
  if (begin->size() != end->size() || begin->size() != step->size() || begin->size() > dims.size()) {
    return absl::InvalidArgumentError(absl::StrCat(begin->size(), " starts of ", dims.size(), " axes"));
  }
  const int64_t begin_mask = node.Int("begin_mask", 0), end_mask = node.Int("end_mask", 0),
                shrink = node.Int("shrink_axis_mask", 0);
  const bool offset = node.Int("offset", 0) != 0;
  const bool down = absl::c_any_of(*step, [](int64_t by) { return by < 0; });
  if (offset && (end_mask != 0 || shrink != 0 || down)) {
    return absl::UnimplementedError("ends counted from the start, with masks or backward: LiteRT reads other elements");
  }
  Integers starts, ends, axes, shape(dims.begin(), dims.end());
  for (size_t i = 0; i < begin->size(); ++i) {
    constexpr int64_t kFar = int64_t{1} << 40;  // beyond any axis
    const int64_t bit = int64_t{1} << i, size = dims[i], by = std::clamp((*step)[i], -kFar, kFar);
    if (by == 0) return absl::InvalidArgumentError("a step of 0");
    const bool up = by > 0;
    const auto inside = [&](int64_t at) {
      if (at < 0) at += size;
      return up ? std::clamp<int64_t>(at, 0, size) : std::clamp<int64_t>(at, -1, std::max<int64_t>(size - 1, -1));
    };
    int64_t first = inside((*begin)[i]);
    if ((begin_mask & bit) != 0) first = up ? 0 : size - 1;
    const int64_t stated = std::clamp((*end)[i], -kFar, kFar);
    int64_t last = inside(stated);
    if ((end_mask & bit) != 0) last = up ? size : -1;
    // Counted from the start: taken as it is, also beyond the axis.
    if (offset) last = first + stated;
    const bool one = (shrink & bit) != 0;
    if (one && first < 0) return absl::InvalidArgumentError(absl::StrCat("a start of ", (*begin)[i], " of ", size));
    if (one) last = first >= size ? first : first + 1;
    const int64_t distance = up || one ? last - first : first - last, magnitude = one ? 1 : up ? by : -by;
    shape[i] = distance <= 0 ? 0 : (distance + magnitude - 1) / magnitude;
    if (shape[i] > 0 && (last > size || last < -1 || first < 0 || first >= size)) {
      return absl::InvalidArgumentError(absl::StrCat("elements ", first, " to ", last, " of ", size));
    }
    // As ONNX counts: a negative number is from the end. Nothing is from 0 to 0.
    starts.push_back(shape[i] == 0 ? 0 : first);
    ends.push_back(shape[i] == 0 ? 0 : last < 0 ? -size - 1 : last);
    axes.push_back(static_cast<int64_t>(i));
  }
  lowered.attributes.SetInts("starts", starts);
  lowered.attributes.SetInts("ends", ends);
  lowered.attributes.SetInts("axes", axes);
  Integers steps = *step;
  for (size_t i = 0; i < steps.size(); ++i) {
    if ((shrink & (int64_t{1} << i)) != 0) steps[i] = 1;
  }
  lowered.attributes.SetInts("steps", steps);
  lowered.data_ports = 1;
  if (shrink == 0) return absl::OkStatus();
  Integers left;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i >= 63 || (shrink & (int64_t{1} << i)) == 0) left.push_back(shape[i]);
  }
  lowered.output_shape = left;
  return absl::OkStatus();
}

}  // namespace

absl::Status LowerTflite(const NodeReader& node, Lowered& lowered) {
  lowered.layout = Layout::kChannelsLast;
  Attributes& to = lowered.attributes;
  const absl::string_view op = node.op_type();
  switch (lowered.op) {
    case OpId::kConv:
    case OpId::kDepthwiseConv:
    case OpId::kConvTranspose:
      return LowerConv(node, lowered);
    case OpId::kLinear: {
      const absl::Span<const int64_t> data = node.Dims(0), weight = node.Dims(1);
      if (node.Int("weights_format", 0) != 0) return absl::UnimplementedError("shuffled weights");
      SetAccumulator(node, to);
      if (weight.size() == 2 && weight[1] > 0) {
        if (!data.empty() && data.back() != weight[1]) lowered.input_shape = Integers{-1, weight[1]};
        if (node.Int("keep_num_dims", 0) == 0 && data.size() != 2) lowered.output_shape = Integers{-1, weight[0]};
      }
      return SetActivation(node, to);
    }
    case OpId::kMatMul:
      to.SetInt("transA", node.Int("adj_x", 0));
      to.SetInt("transB", node.Int("adj_y", 0));
      return absl::OkStatus();
    case OpId::kMaxPool:
    case OpId::kAveragePool:
    case OpId::kLpPool:
      to.SetInt("of_mean", 1);
      to.SetInts("kernel_shape", {node.Int("filter_height", 1), node.Int("filter_width", 1)});
      to.SetInts("strides", {node.Int("stride_h", 1), node.Int("stride_w", 1)});
      SetPadding(node, to);
      return SetActivation(node, to);
    case OpId::kAdd:
    case OpId::kSub:
    case OpId::kMul:
    case OpId::kDiv:
      return SetActivation(node, to);
    case OpId::kConcat:
      to.SetInt("axis", node.Int("axis", 0));
      return SetActivation(node, to);
    case OpId::kStack:
      to.SetInt("axis", node.Int("axis", 0));
      return absl::OkStatus();
    case OpId::kReduceMean:
    case OpId::kReduceSum:
    case OpId::kReduceProd:
    case OpId::kReduceMax:
    case OpId::kReduceMin:
    case OpId::kReduceAny: {
      const std::optional<Integers> axes = node.ArgumentInts(1);
      if (!axes.has_value()) return Unknown("axes");
      to.SetInts("axes", *axes);
      if (axes->empty()) to.SetInt("noop_with_empty_axes", 1);
      to.SetInt("keepdims", node.Int("keep_dims", 0));
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kSoftmax:
      to.SetInt("axis", -1);
      to.SetFloat("beta", node.Real("beta", 0));  // the schema's default
      return absl::OkStatus();
    case OpId::kLogSoftmax:
      to.SetInt("axis", -1);
      return absl::OkStatus();
    case OpId::kReshape: {
      std::optional<Integers> shape = node.ArgumentInts(1);
      if (!shape.has_value()) shape = node.Ints("new_shape");
      if (!shape.has_value()) return Unknown("sizes");
      to.SetInts("shape", *shape);
      to.SetInt("allowzero", 1);
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kSqueeze:
      if (const std::optional<Integers> axes = node.Ints("squeeze_dims"); axes.has_value() && !axes->empty()) {
        to.SetInts("axes", *axes);
      }
      return absl::OkStatus();
    case OpId::kUnsqueeze:
    case OpId::kTranspose:
    case OpId::kTile:
    case OpId::kExpand:
    case OpId::kFlip: {
      const std::optional<Integers> numbers = node.ArgumentInts(1);
      if (!numbers.has_value()) return Unknown("sizes and axes");
      to.SetInts(lowered.op == OpId::kTranspose ? "perm"
                 : lowered.op == OpId::kTile    ? "repeats"
                 : lowered.op == OpId::kExpand  ? "shape"
                                                : "axes",
                 *numbers);
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kSlice: {
      if (op == "STRIDED_SLICE") return LowerStridedSlice(node, lowered);
      const std::optional<Integers> begin = node.ArgumentInts(1), size = node.ArgumentInts(2);
      const absl::Span<const int64_t> dims = node.Dims(0);
      if (!begin.has_value() || !size.has_value()) return Unknown("starts and sizes");
      if (begin->size() != size->size() || begin->size() != dims.size()) {
        return absl::InvalidArgumentError(absl::StrCat(begin->size(), " starts of ", dims.size(), " axes"));
      }
      Integers ends;
      for (size_t i = 0; i < begin->size(); ++i) {
        ends.push_back((*size)[i] < 0 ? dims[i] : std::min((*begin)[i], dims[i]) + std::min((*size)[i], dims[i]));
      }
      to.SetInts("starts", *begin);
      to.SetInts("ends", ends);
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kSplit: {
      const bool sizes_given = op == "SPLIT_V";
      const std::optional<Integers> axis = node.ArgumentInts(sizes_given ? 2 : 0);
      if (!axis.has_value() || axis->empty()) return Unknown("axes");
      to.SetInt("axis", (*axis)[0]);
      if (sizes_given) {
        const std::optional<Integers> sizes = node.ArgumentInts(1);
        if (!sizes.has_value()) return Unknown("sizes");
        Integers parts = *sizes;
        const absl::Span<const int64_t> dims = node.Dims(0);
        const int64_t at = (*axis)[0] < 0 ? (*axis)[0] + static_cast<int64_t>(dims.size()) : (*axis)[0];
        if (at >= 0 && at < static_cast<int64_t>(dims.size())) {
          int64_t rest = dims[at];
          for (int64_t part : parts) rest -= part < 0 ? 0 : std::min(part, dims[at]);
          for (int64_t& part : parts) {
            if (part == -1) part = rest;
          }
        }
        to.SetInts("sizes", parts);
      }
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kUnstack:
      to.SetInt("axis", node.Int("axis", 0));
      return absl::OkStatus();
    case OpId::kGather:
      to.SetInt("axis", node.Int("axis", 0));
      to.SetInt("batch_dims", node.Int("batch_dims", 0));
      return absl::OkStatus();
    case OpId::kPad: {
      const std::optional<Integers> pads = node.ArgumentInts(1);
      if (!pads.has_value() || pads->size() % 2 != 0) return Unknown("pads");
      to.SetInts("pads", FrontThenBehind(*pads));
      if (op == "MIRROR_PAD") to.SetText("mode", node.Text("mode") == "SYMMETRIC" ? "symmetric" : "reflect");
      if (op == "PADV2") to.SetFloat("value", node.ArgumentReal(2).value_or(0));
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kResizeBilinear:
    case OpId::kResizeNearest: {
      const std::optional<Integers> size = node.ArgumentInts(1);
      if (!size.has_value() || size->size() != 2) return Unknown("sizes");
      to.SetInts("sizes", *size);
      to.SetInt("align_corners", node.Int("align_corners", 0));
      to.SetInt("half_pixel_centers", node.Int("half_pixel_centers", 0));
      to.SetText("mode", lowered.op == OpId::kResizeNearest ? "nearest" : "linear");
      // LiteRT rounds down, and with aligned corners to the nearest.
      if (lowered.op == OpId::kResizeNearest) {
        to.SetText("nearest_mode", node.Int("align_corners", 0) != 0 ? "round_prefer_ceil" : "floor");
        if (node.Int("half_pixel_centers", 0) != 0) to.SetText("coordinate_transformation_mode", "half_pixel_nearest");
      }
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kArgMax:
    case OpId::kArgMin: {
      const std::optional<Integers> axis = node.ArgumentInts(1);
      if (!axis.has_value() || axis->empty()) return Unknown("axes");
      to.SetInt("axis", (*axis)[0]);
      to.SetInt("keepdims", 0);
      to.SetInt("to", node.Int("output_type", v1::DATA_TYPE_INT64));
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kTopK: {
      const std::optional<Integers> k = node.ArgumentInts(1);
      if (!k.has_value() || k->empty()) return Unknown("counts");
      to.SetInt("k", (*k)[0]);
      to.SetInt("axis", -1);
      to.SetInt("to", v1::DATA_TYPE_INT32);
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kSpaceToBatch:
    case OpId::kBatchToSpace: {
      const std::optional<Integers> block = node.ArgumentInts(1), borders = node.ArgumentInts(2);
      if (!block.has_value() || !borders.has_value()) return Unknown("sizes of blocks");
      to.SetInts("block", *block);
      to.SetInts(lowered.op == OpId::kSpaceToBatch ? "pads" : "crops", FrontThenBehind(*borders));
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kSliceScatter: {
      const std::optional<Integers> starts = node.ArgumentInts(2);
      if (!starts.has_value()) return Unknown("starts");
      // STABLEHLO_DYNAMIC_UPDATE_SLICE has an argument for each axis.
      if (starts->size() != node.Dims(0).size()) return absl::UnimplementedError("starts in several arguments");
      to.SetInts("starts", *starts);
      return absl::OkStatus();
    }
    case OpId::kOneHot:
      return LowerOneHot(node, lowered);
    case OpId::kCumSum: {
      const std::optional<Integers> axis = node.ArgumentInts(1);
      if (!axis.has_value() || axis->empty()) return Unknown("axes");
      to.SetInt("axis", (*axis)[0]);
      to.SetInt("exclusive", node.Int("exclusive", 0));
      to.SetInt("reverse", node.Int("reverse", 0));
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kShape:
      to.SetInt("to", node.Int("out_type", v1::DATA_TYPE_INT32));
      return absl::OkStatus();
    case OpId::kFill: {
      const std::optional<Integers> shape = node.ArgumentInts(0);
      const Tensor* value = node.Argument(1);
      if (!shape.has_value() || value == nullptr) return Unknown("sizes");
      to.SetInts("shape", *shape);
      to.SetInt("to", value->type);
      to.SetFloat("value", node.ArgumentReal(1).value_or(0));
      lowered.data_ports = 0;
      return absl::OkStatus();
    }
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
      to.SetInt("blocksize", node.Int("block_size", 0));
      return absl::OkStatus();
    case OpId::kLeakyRelu:
      to.SetFloat("alpha", node.Real("alpha", 0));
      return absl::OkStatus();
    case OpId::kGelu:
      if (node.Int("approximate", 0) != 0) to.SetText("approximate", "tanh");
      return absl::OkStatus();
    case OpId::kLpNorm:
      to.SetInt("axis", -1);
      return SetActivation(node, to);
    case OpId::kEmbedding:
      to.SetInt("axis", 0);
      return absl::OkStatus();
    case OpId::kCast:
      to.SetInt("to", node.output_type(0));
      return absl::OkStatus();
    default:
      if (op == "RANK") {
        lowered.op = OpId::kFill;
        to.SetInts("shape", {});
        to.SetInt("to", v1::DATA_TYPE_INT32);
        to.SetFloat("value", static_cast<double>(node.Dims(0).size()));
        lowered.data_ports = 0;
      }
      return absl::OkStatus();
  }
}

}  // namespace quantgate::simulator
