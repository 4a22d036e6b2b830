#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/elements.h"
#include "rules/onnx/data_type.h"
#include "rules/simulator/run/lowering.h"

namespace quantgate::simulator {
namespace {

void CopyInts(const NodeReader& node, Attributes& to, std::initializer_list<absl::string_view> names) {
  for (absl::string_view name : names) {
    if (std::optional<Integers> values = node.Ints(name)) to.SetInts(name, *std::move(values));
  }
}

void CopyReals(const NodeReader& node, Attributes& to, std::initializer_list<absl::string_view> names) {
  for (absl::string_view name : names) {
    if (node.attribute(name) != nullptr) to.SetFloat(name, node.Real(name, 0));
  }
}

void CopyTexts(const NodeReader& node, Attributes& to, std::initializer_list<absl::string_view> names) {
  for (absl::string_view name : names) {
    if (!node.Text(name).empty()) to.SetText(name, node.Text(name));
  }
}

void SetWindow(const NodeReader& node, Attributes& to) {
  CopyInts(node, to,
           {"kernel_shape", "strides", "dilations", "group", "ceil_mode", "count_include_pad", "output_padding",
            "output_shape"});
  // Pads beside automatic ones are none.
  const absl::string_view automatic = node.Text("auto_pad");
  if (automatic.empty() || automatic == "NOTSET") CopyInts(node, to, {"pads"});
  if (absl::StartsWith(node.Text("auto_pad"), "SAME")) to.SetText("auto_pad", node.Text("auto_pad"));
}

// ONNX Runtime pads a dilated pool as if it were none, and its result is the smaller for it.
void PadDilatedPool(const NodeReader& node, Attributes& to) {
  constexpr int64_t kMost = int64_t{1} << 40;
  const Integers dilations = node.Ints("dilations").value_or(Integers());
  const Integers kernel = node.Ints("kernel_shape").value_or(Integers());
  const size_t rank = kernel.size();
  const Integers strides = node.Ints("strides").value_or(Integers(rank, 1));
  const absl::Span<const int64_t> dims = node.Dims(0);
  const bool plain = std::all_of(dilations.begin(), dilations.end(), [](int64_t dilation) { return dilation == 1; });
  if (plain || !absl::StartsWith(node.Text("auto_pad"), "SAME") || dims.size() != rank + 2 || strides.size() != rank) {
    return;
  }
  Integers pads(2 * rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size = dims[i + 2], stride = strides[i];
    if (stride < 1 || stride > kMost || kernel[i] > kMost || size > kMost) return;
    const int64_t needed = std::max<int64_t>(((size + stride - 1) / stride - 1) * stride + kernel[i] - size, 0);
    pads[i] = node.Text("auto_pad") == "SAME_LOWER" ? (needed + 1) / 2 : needed / 2;
    pads[i + rank] = needed - pads[i];
  }
  to.SetText("auto_pad", "");
  to.SetInts("pads", std::move(pads));
}

absl::Status LowerResize(const NodeReader& node, Lowered& lowered) {
  Attributes& to = lowered.attributes;
  const bool upsample = node.op_type() == "Upsample";
  const bool old = upsample || !node.HasArgument(2);
  CopyTexts(node, to, {"mode", "nearest_mode"});
  CopyInts(node, to, {"antialias", "exclude_outside"});
  CopyReals(node, to, {"cubic_coeff_a", "extrapolation_value"});
  const bool before_11 = upsample || node.opset() < 11;
  const absl::string_view coordinates = node.Text("coordinate_transformation_mode");
  to.SetText("coordinate_transformation_mode", before_11             ? "asymmetric"
                                               : coordinates.empty() ? "half_pixel"
                                                                     : coordinates);
  if (before_11) to.SetText("nearest_mode", "simple");
  // What is stated of some axes, for all of them.
  const size_t rank = node.Dims(0).size();
  std::vector<size_t> axes;
  for (const int64_t axis : node.Ints("axes").value_or(Integers())) {
    const int64_t from_front = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    if (from_front < 0 || from_front >= static_cast<int64_t>(rank)) {
      return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " of a tensor of rank ", rank));
    }
    axes.push_back(static_cast<size_t>(from_front));
  }
  if (axes.empty()) {
    for (size_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  if (coordinates == "tf_crop_and_resize") {
    const Tensor* region = node.Argument(1);
    if (region == nullptr || region->type != v1::DATA_TYPE_FLOAT32) return Unknown("a region");
    const absl::Span<const float> ends = region->as<float>();
    if (ends.size() != 2 * axes.size()) return absl::InvalidArgumentError("a region that has not two ends an axis");
    std::vector<double> all(2 * rank, 0);
    std::fill(all.begin() + static_cast<int64_t>(rank), all.end(), 1);
    for (size_t i = 0; i < axes.size(); ++i) {
      all[axes[i]] = ends[i];
      all[rank + axes[i]] = ends[axes.size() + i];
    }
    to.SetFloats("roi", std::move(all));
  }
  if (const std::optional<Integers> sizes = node.ArgumentInts(3); sizes.has_value() && !sizes->empty()) {
    if (sizes->size() != axes.size()) {
      return absl::InvalidArgumentError(absl::StrCat(sizes->size(), " sizes for ", axes.size(), " axes"));
    }
    Integers all(node.Dims(0).begin(), node.Dims(0).end());
    const absl::string_view policy = node.Text("keep_aspect_ratio_policy");
    double common = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      const double scale = static_cast<double>((*sizes)[i]) / static_cast<double>(std::max<int64_t>(all[axes[i]], 1));
      common = i == 0 ? scale : policy == "not_smaller" ? std::max(common, scale) : std::min(common, scale);
    }
    const bool keeps = policy == "not_larger" || policy == "not_smaller";
    if (keeps && !(common < 1e9)) return absl::InvalidArgumentError(absl::StrCat("a resize by ", common));
    for (size_t i = 0; i < axes.size(); ++i) {
      int64_t& size = all[axes[i]];
      size = keeps ? static_cast<int64_t>(std::round(static_cast<double>(size) * common)) : (*sizes)[i];
    }
    if (keeps) {
      std::vector<double> scales(rank, 1);
      for (const size_t axis : axes) scales[axis] = common;
      to.SetFloats("scales", std::move(scales));
    }
    to.SetInts("sizes", std::move(all));
    return absl::OkStatus();
  }
  const Tensor* scales = node.Argument(old ? 1 : 2);
  if (scales == nullptr || scales->type != v1::DATA_TYPE_FLOAT32) return Unknown("scales");
  const absl::Span<const float> values = scales->as<float>();
  if (values.size() != axes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(values.size(), " scales for ", axes.size(), " axes"));
  }
  std::vector<double> all(rank, 1);
  for (size_t i = 0; i < axes.size(); ++i) all[axes[i]] = values[i];
  to.SetFloats("scales", std::move(all));
  return absl::OkStatus();
}

absl::Status LowerPad(const NodeReader& node, Lowered& lowered) {
  const std::optional<Integers> pads = node.IntsOf("pads", 1);
  if (!pads.has_value()) return Unknown("pads");
  lowered.attributes.SetInts("pads", *pads);
  if (const std::optional<Integers> axes = node.ArgumentInts(3)) {
    const size_t rank = node.Dims(0).size();
    Integers all(2 * rank, 0);
    for (size_t i = 0; i < axes->size() && pads->size() == 2 * axes->size(); ++i) {
      const int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + static_cast<int64_t>(rank) : (*axes)[i];
      if (axis < 0 || axis >= static_cast<int64_t>(rank))
        return absl::InvalidArgumentError(absl::StrCat("axis ", axis));
      all[axis] = (*pads)[i];
      all[rank + axis] = (*pads)[axes->size() + i];
    }
    lowered.attributes.SetInts("pads", all);
  }
  CopyTexts(node, lowered.attributes, {"mode"});
  lowered.attributes.SetFloat(
      "value", node.attribute("value") != nullptr ? node.Real("value", 0) : node.ArgumentReal(2).value_or(0));
  const Tensor* fill = node.Argument(2);
  if (fill == nullptr ? !node.HasArgument(2) && node.attribute("value") == nullptr
                      : fill->type != v1::DATA_TYPE_FLOAT32) {
    lowered.stored_fill = node.ArgumentReal(2).value_or(0);
  }
  lowered.data_ports = 1;
  return absl::OkStatus();
}

absl::Status LowerSlice(const NodeReader& node, Lowered& lowered) {
  const std::optional<Integers> starts = node.IntsOf("starts", 1), ends = node.IntsOf("ends", 2);
  if (!starts.has_value() || !ends.has_value()) return Unknown("starts and ends");
  lowered.attributes.SetInts("starts", *starts);
  lowered.attributes.SetInts("ends", *ends);
  if (const std::optional<Integers> axes = node.IntsOf("axes", 3)) lowered.attributes.SetInts("axes", *axes);
  if (const std::optional<Integers> steps = node.ArgumentInts(4)) lowered.attributes.SetInts("steps", *steps);
  lowered.data_ports = 1;
  return absl::OkStatus();
}

// Operators with scales as arguments have their lists as attributes only.
constexpr int kNoArgument = 1000;

// A list that is an attribute in old operator sets and a tensor in newer ones.
absl::Status LowerList(const NodeReader& node, absl::string_view from, absl::string_view to, int position, bool needed,
                       Lowered& lowered) {
  const std::optional<Integers> values = node.IntsOf(from, position);
  if (values.has_value()) lowered.attributes.SetInts(to, *values);
  if (!values.has_value() && (needed || node.HasArgument(position))) return Unknown(to);
  lowered.data_ports = 1;
  return absl::OkStatus();
}

}  // namespace

absl::Status LowerOnnx(const NodeReader& node, Lowered& lowered) {
  Attributes& to = lowered.attributes;
  if (absl::EndsWith(node.op_type(), "::GatherBlockQuantized")) {
    return absl::UnimplementedError("rows of weights that are packed in blocks");
  }
  if (node.Int("channels_last", 0) != 0) {
    // Of pools; convolutions keep the order of their weights.
    if (lowered.op != OpId::kAveragePool && lowered.op != OpId::kGlobalAveragePool) {
      return absl::UnimplementedError("channels last in ONNX");
    }
    lowered.layout = Layout::kChannelsLast;
  }
  switch (lowered.op) {
    case OpId::kConv:
    case OpId::kConvTranspose:
    case OpId::kMaxPool:
    case OpId::kAveragePool:
    case OpId::kLpPool:
      SetWindow(node, to);
      if (lowered.op != OpId::kConv && lowered.op != OpId::kConvTranspose) {
        PadDilatedPool(node, to);
        to.SetInt("toward_zero", 1);  // as ONNX Runtime divides
      }
      CopyInts(node, to, {"p"});
      if (node.Int("storage_order", 0) != 0) return absl::UnimplementedError("a storage order of columns");
      return absl::OkStatus();
    case OpId::kGemm:
      CopyInts(node, to, {"transA", "transB"});
      CopyReals(node, to, {"alpha", "beta"});
      // The bias of QGemm is of the scale of the sums, and alpha is of both.
      if (absl::EndsWith(node.op_type(), "::QGemm") && node.attribute("alpha") != nullptr) {
        for (absl::string_view name : {"beta", "sum_factor"}) to.SetFloat(name, node.Real("alpha", 1));
      }
      return absl::OkStatus();
    case OpId::kReduceMean:
    case OpId::kReduceSum:
    case OpId::kReduceProd:
    case OpId::kReduceMax:
    case OpId::kReduceMin:
    case OpId::kReduceL1:
    case OpId::kReduceL2:
    case OpId::kReduceSumSquare:
    case OpId::kReduceLogSumExp:
      CopyInts(node, to, {"keepdims", "noop_with_empty_axes"});
      return LowerList(node, "axes", "axes", absl::StartsWith(node.op_type(), "com.") ? kNoArgument : 1, false,
                       lowered);
    case OpId::kSoftmax:
    case OpId::kLogSoftmax:
    case OpId::kHardmax: {
      // QLinearSoftmax says itself which operator set it is of.
      const bool old = node.Int("opset", node.opset()) < 13;
      to.SetInt("axis", node.Int("axis", old ? 1 : -1));
      if (old) {
        to.SetInt("flatten", 1);
        const int64_t rank = static_cast<int64_t>(node.Dims(0).size());
        const int64_t axis = node.Int("axis", 1);
        // The last axis alone: the same in both forms.
        if (axis == -1 || axis == rank - 1) to.SetInt("flatten", 0);
      }
      return absl::OkStatus();
    }
    case OpId::kConcat:
    case OpId::kGather:
    case OpId::kGatherElements:
    case OpId::kLpNorm:
      to.SetInt("axis", node.Int("axis", lowered.op == OpId::kLpNorm ? -1 : 0));
      CopyInts(node, to, {"p"});
      return absl::OkStatus();
    case OpId::kGatherNd:
      CopyInts(node, to, {"batch_dims"});
      return absl::OkStatus();
    case OpId::kArgMax:
    case OpId::kArgMin:
      to.SetInt("axis", node.Int("axis", 0));
      CopyInts(node, to, {"keepdims", "select_last_index"});
      return absl::OkStatus();
    case OpId::kTopK:
      to.SetInt("axis", node.Int("axis", -1));
      CopyInts(node, to, {"largest"});
      return LowerList(node, "k", "k", 1, true, lowered);
    case OpId::kOneHot: {
      const Tensor* values = node.Argument(2);
      const std::optional<double> depth = node.ArgumentReal(1);
      constexpr double kMostPositions = 1e12;
      // Not a number is refused, too.
      if (values == nullptr || !depth.has_value() || !(*depth >= 0 && *depth <= kMostPositions)) {
        return Unknown("depth and values");
      }
      to.SetInt("depth", static_cast<int64_t>(*depth));
      to.SetInt("axis", node.Int("axis", -1));
      to.SetInt("from_end", 1);
      to.SetInt("to", values->type);
      const absl::StatusOr<Integers> integers = ToInt64(*values);
      if (values->type == v1::DATA_TYPE_FLOAT32 && values->as<float>().size() == 2) {
        to.SetFloat("off", values->as<float>()[0]);
        to.SetFloat("on", values->as<float>()[1]);
      } else if (integers.ok() && integers->size() == 2) {
        to.SetInt("off", (*integers)[0]);
        to.SetInt("on", (*integers)[1]);
      } else {
        return absl::UnimplementedError("values of a type that has no kernels");
      }
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kCumSum:
      CopyInts(node, to, {"exclusive", "reverse"});
      return LowerList(node, "axis", "axis", 1, true, lowered);
    case OpId::kReshape:
      to.SetInt("allowzero", node.Int("allowzero", 0));
      return LowerList(node, "shape", "shape", 1, true, lowered);
    case OpId::kExpand:
      return LowerList(node, "shape", "shape", 1, true, lowered);
    case OpId::kTile:
      return LowerList(node, "repeats", "repeats", 1, true, lowered);
    case OpId::kSqueeze:
      // None stated: every size of 1 goes, as with a list of none.
      if (const std::optional<Integers> axes = node.IntsOf("axes", 1); axes.has_value() && axes->empty()) {
        lowered.data_ports = 1;
        return absl::OkStatus();
      }
      return LowerList(node, "axes", "axes", 1, false, lowered);
    case OpId::kDropout:
      if (node.HasArgument(2)) {
        const std::optional<Integers> training = node.ArgumentInts(2);
        if (!training.has_value()) return absl::UnimplementedError("a mode that is not known before it is needed");
        if (!training->empty() && (*training)[0] != 0) return absl::UnimplementedError("training");
      }
      to.SetInt("mask", node.opset() >= 12 ? 1 : 0);
      to.SetInt("mask_like_data", node.opset() < 10 ? 1 : 0);
      return absl::OkStatus();
    case OpId::kUnsqueeze:
      return LowerList(node, "axes", "axes", 1, true, lowered);
    case OpId::kSplit:
      to.SetInt("axis", node.Int("axis", 0));
      return LowerList(node, "split", "sizes", 1, false, lowered);
    case OpId::kFlatten:
      to.SetInt("axis", node.Int("axis", 1));
      return absl::OkStatus();
    case OpId::kTranspose:
      CopyInts(node, to, {"perm"});
      return absl::OkStatus();
    case OpId::kSlice:
      return LowerSlice(node, lowered);
    case OpId::kPad:
      return LowerPad(node, lowered);
    case OpId::kClamp: {
      for (int i = 0; i < 2; ++i) {
        const absl::string_view name = i == 0 ? "min" : "max";
        if (node.attribute(name) != nullptr) {
          to.SetFloat(name, node.Real(name, 0));
        } else if (node.HasArgument(1 + i)) {
          const std::optional<double> limit = node.ArgumentReal(1 + i);
          if (!limit.has_value()) return Unknown("limits");
          to.SetFloat(name, *limit);
        }
      }
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kResize:
    case OpId::kResizeNearest:
    case OpId::kResizeBilinear:
      lowered.data_ports = 1;
      return LowerResize(node, lowered);
    case OpId::kFill: {
      const std::optional<Integers> shape = node.ArgumentInts(0);
      if (!shape.has_value()) return Unknown("sizes");
      to.SetInts("shape", *shape);
      lowered.data_ports = 0;
      const v1::Attribute* value = node.attribute("value");
      if (value == nullptr || value->value_case() != v1::Attribute::kTensor || value->tensor() < 1)
        return absl::OkStatus();
      const v1::Value& tensor = node.graph().message().values(value->tensor() - 1);
      to.SetInt("to", tensor.dtype());
      if (const RealView numbers = NumbersOf(tensor); !numbers.empty()) to.SetFloat("value", numbers[0]);
      return absl::OkStatus();
    }
    case OpId::kShape:
      CopyInts(node, to, {"start", "end"});
      return absl::OkStatus();
    case OpId::kCast:
      to.SetInt("to", DataTypeFromOnnx(static_cast<int32_t>(node.Int("to", 1))));
      return absl::OkStatus();
    case OpId::kLayerNorm:
    case OpId::kRmsNorm:
      to.SetInt("axis", node.Int("axis", -1));
      CopyReals(node, to, {"epsilon"});
      return absl::OkStatus();
    case OpId::kBatchNorm:
    case OpId::kInstanceNorm:
    case OpId::kGroupNorm:
      CopyReals(node, to, {"epsilon"});
      CopyInts(node, to, {"num_groups", "spatial"});
      if (node.Int("training_mode", 0) != 0) return absl::UnimplementedError("training");
      return absl::OkStatus();
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
      CopyInts(node, to, {"blocksize"});
      CopyTexts(node, to, {"mode"});
      return absl::OkStatus();
    case OpId::kTriangle:
      to.SetInt("upper", node.Int("upper", 1));
      if (const std::optional<Integers> k = node.ArgumentInts(1); k.has_value() && !k->empty())
        to.SetInt("diagonal", (*k)[0]);
      lowered.data_ports = 1;
      return absl::OkStatus();
    case OpId::kFastGelu:
      return node.HasArgument(1) ? absl::UnimplementedError("a bias in front of an activation") : absl::OkStatus();
    default:
      CopyReals(node, to, {"alpha", "beta", "gamma"});
      CopyTexts(node, to, {"approximate"});
      CopyInts(node, to, {"fmod"});
      return absl::OkStatus();
  }
}

}  // namespace quantgate::simulator
