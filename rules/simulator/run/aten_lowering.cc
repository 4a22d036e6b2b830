#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/simulator/run/lowering.h"

namespace quantgate::simulator {
namespace {

// One number for all axes, or one for each.
Integers PerAxis(const NodeReader& node, absl::string_view name, size_t rank, int64_t fallback) {
  const std::optional<Integers> given = node.Ints(name);
  if (!given.has_value() || given->empty()) return Integers(rank, fallback);
  return given->size() == 1 ? Integers(rank, (*given)[0]) : *given;
}

// torch takes data without a batch axis too: as one sample. `rank`: of the windows.
void AddBatchAxis(const NodeReader& node, size_t rank, Lowered& lowered) {
  const absl::Span<const int64_t> dims = node.Dims(0);
  if (dims.size() != rank + 1) return;
  Integers shape = {1};
  shape.insert(shape.end(), dims.begin(), dims.end());
  lowered.input_shape = std::move(shape);
  lowered.drops_first_axis = true;
}

absl::Status LowerConv(const NodeReader& node, Lowered& lowered) {
  Attributes& to = lowered.attributes;
  const size_t rank = std::max<size_t>(node.Dims(1).size(), 3) - 2;
  AddBatchAxis(node, rank, lowered);
  to.SetInts("strides", PerAxis(node, "stride", rank, 1));
  to.SetInts("dilations", PerAxis(node, "dilation", rank, 1));
  to.SetInt("group", node.Int("groups", 1));
  if (node.Text("padding") == "same") {
    to.SetText("auto_pad", "SAME_UPPER");
  } else if (node.Text("padding").empty() || node.Text("padding") == "valid") {
    Integers pads = PerAxis(node, "padding", rank, 0);
    pads.insert(pads.end(), pads.begin(), pads.begin() + static_cast<int64_t>(pads.size()));
    to.SetInts("pads", pads);
  }
  if (node.Int("transposed", 0) != 0) lowered.op = OpId::kConvTranspose;
  to.SetInts("output_padding", PerAxis(node, "output_padding", rank, 0));
  return absl::OkStatus();
}

// Of windows, as the names of torch's pools say it: "aten.max_pool2d_with_indices.default".
size_t PoolRank(absl::string_view op) {
  for (const absl::string_view name : {"pool1d", "pool2d", "pool3d"}) {
    if (absl::StrContains(op, name)) return static_cast<size_t>(name[4] - '0');
  }
  return 2;
}

absl::Status LowerPool(const NodeReader& node, Lowered& lowered) {
  Attributes& to = lowered.attributes;
  const size_t rank = PoolRank(node.op_type());
  AddBatchAxis(node, rank, lowered);
  const Integers kernel = PerAxis(node, "kernel_size", rank, 1);
  to.SetInts("kernel_shape", kernel);
  to.SetInt("propagates_nan", 1);
  const std::optional<Integers> stride = node.Ints("stride");
  to.SetInts("strides", stride.has_value() && !stride->empty() ? PerAxis(node, "stride", rank, 1) : kernel);
  Integers pads = PerAxis(node, "padding", rank, 0);
  pads.insert(pads.end(), pads.begin(), pads.begin() + static_cast<int64_t>(pads.size()));
  to.SetInts("pads", pads);
  to.SetInts("dilations", PerAxis(node, "dilation", rank, 1));
  to.SetInt("ceil_mode", node.Int("ceil_mode", 0));
  to.SetInt("count_include_pad", node.Int("count_include_pad", 1));
  to.SetInt("divisor_override", node.Int("divisor_override", 0));
  return absl::OkStatus();
}

absl::Status LowerTranspose(const NodeReader& node, Lowered& lowered) {
  const int64_t rank = static_cast<int64_t>(node.Dims(0).size());
  Integers perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  const auto at = [&](int64_t axis) { return axis < 0 ? axis + rank : axis; };
  if (const std::optional<Integers> dims = node.Ints("dims")) {
    perm = *dims;
  } else if (node.op_type() == "aten.t.default" || node.op_type() == "aten.t_copy.default") {
    std::reverse(perm.begin(), perm.end());
  } else if (node.attribute("dim0") != nullptr || node.attribute("dim1") != nullptr) {
    const int64_t a = at(node.Int("dim0", 0)), b = at(node.Int("dim1", 0));
    if (a < 0 || b < 0 || a >= rank || b >= rank)
      return absl::InvalidArgumentError(absl::StrCat("axes ", a, " and ", b));
    std::swap(perm[a], perm[b]);
  } else {
    return absl::UnimplementedError("a transposition in this form");
  }
  lowered.attributes.SetInts("perm", perm);
  return absl::OkStatus();
}

// torch flattens some axes to one.
absl::Status LowerFlatten(const NodeReader& node, Lowered& lowered) {
  const absl::Span<const int64_t> dims = node.Dims(0);
  const int64_t rank = static_cast<int64_t>(dims.size());
  int64_t first = node.Int("start_dim", 0), last = node.Int("end_dim", -1);
  if (first < 0) first += rank;
  if (last < 0) last += rank;
  Integers shape;
  for (int64_t i = 0; i < rank; ++i) {
    if (i > first && i <= last && !shape.empty()) {
      shape.back() *= dims[i];
    } else {
      shape.push_back(dims[i]);
    }
  }
  if (rank == 0) shape = {1};
  lowered.op = OpId::kReshape;
  lowered.attributes.SetInts("shape", shape);
  lowered.attributes.SetInt("allowzero", 1);
  return absl::OkStatus();
}

// torch leaves axes of other sizes than 1 as they are.
absl::Status LowerSqueeze(const NodeReader& node, Lowered& lowered) {
  const absl::Span<const int64_t> dims = node.Dims(0);
  const int64_t rank = static_cast<int64_t>(dims.size());
  const std::optional<Integers> axes = node.Ints("dim");
  Integers shape;
  for (int64_t i = 0; i < rank; ++i) {
    bool named = !axes.has_value();
    for (int64_t k = 0; axes.has_value() && k < static_cast<int64_t>(axes->size()); ++k) {
      named |= (*axes)[k] == i || (*axes)[k] + rank == i;
    }
    if (!named || dims[i] != 1) shape.push_back(dims[i]);
  }
  lowered.op = OpId::kReshape;
  lowered.attributes.SetInts("shape", shape);
  lowered.attributes.SetInt("allowzero", 1);
  return absl::OkStatus();
}

// An operand that is a number.
void SetScalar(const NodeReader& node, absl::string_view name, int port, Lowered& lowered) {
  const v1::Attribute* number = node.attribute(name);
  if (number == nullptr) return;
  lowered.scalar = node.Real(name, 0);
  lowered.scalar_port = port;
  lowered.scalar_is_real = number->value_case() == v1::Attribute::kF;
}

// The second operand is a tensor, or a number.
void LowerScalar(const NodeReader& node, absl::string_view name, Lowered& lowered) {
  if (!node.HasArgument(1)) SetScalar(node, name, 1, lowered);
}

// Of whole factors: others are also what coordinates are counted by.
std::optional<Integers> SizesByFactors(const NodeReader& node) {
  constexpr double kMost = 1 << 20;
  const v1::Attribute* factors = node.attribute("scale_factors");
  const absl::Span<const int64_t> dims = node.Dims(0);
  if (factors == nullptr) return std::nullopt;
  const auto& numbers = factors->floats().values();
  if (numbers.empty() || static_cast<size_t>(numbers.size()) > dims.size()) return std::nullopt;
  Integers sizes;
  for (int i = 0; i < numbers.size(); ++i) {
    const int64_t size = dims[dims.size() - numbers.size() + i];
    if (!(numbers[i] >= 1 && numbers[i] <= kMost) || numbers[i] != std::floor(numbers[i])) return std::nullopt;
    if (size < 1 || size > int64_t{1} << 30) return std::nullopt;
    sizes.push_back(size * static_cast<int64_t>(numbers[i]));
  }
  return sizes;
}

// A slope for each channel, which is axis 1.
void LowerPRelu(const NodeReader& node, Lowered& lowered) {
  const size_t rank = node.Dims(0).size();
  const absl::Span<const int64_t> slope = node.Dims(1);
  if (rank < 2 || slope.size() != 1) return;
  Integers shape(rank - 1, 1);
  shape[0] = slope[0];
  lowered.second_shape = std::move(shape);
}

// torch's instance normalization by statistics that were kept is a batch normalization.
absl::Status LowerInstanceNorm(const NodeReader& node, Lowered& lowered) {
  lowered.attributes.SetFloat("epsilon", node.Real("eps", 1e-5));
  if (node.Int("use_input_stats", 1) != 0) {
    lowered.data_ports = 3;
    return absl::OkStatus();
  }
  lowered.op = OpId::kBatchNorm;
  return absl::OkStatus();
}

void SetType(const NodeReader& node, Lowered& lowered, absl::string_view name = "dtype") {
  const v1::Attribute* dtype = node.attribute(name);
  if (dtype != nullptr && dtype->value_case() == v1::Attribute::kDtype && dtype->dtype() != v1::DATA_TYPE_UNSPECIFIED) {
    lowered.attributes.SetInt("to", dtype->dtype());
  }
}

// torch adds and multiplies integers of all widths, and conditions, as int64.
void WidenIntegers(const NodeReader& node, Lowered& lowered) {
  const Tensor* x = node.Argument(0);
  if (x != nullptr && x->type != v1::DATA_TYPE_FLOAT32) lowered.attributes.SetInt("to", v1::DATA_TYPE_INT64);
}

}  // namespace

absl::Status LowerAten(const NodeReader& node, Lowered& lowered) {
  Attributes& to = lowered.attributes;
  const absl::string_view op = node.op_type();
  const size_t rank = node.Dims(0).size();
  switch (lowered.op) {
    case OpId::kConv:
    case OpId::kConvTranspose:
      return LowerConv(node, lowered);
    case OpId::kMaxPool:
    case OpId::kAveragePool:
      return LowerPool(node, lowered);
    case OpId::kAdaptiveAveragePool: {
      AddBatchAxis(node, PoolRank(op), lowered);
      to.SetInts("sizes", PerAxis(node, "output_size", PoolRank(op), 1));
      return absl::OkStatus();
    }
    case OpId::kGemm:
      to.SetFloat("alpha", node.Real("alpha", 1));
      to.SetFloat("beta", node.Real("beta", 1));
      return absl::OkStatus();
    case OpId::kAdd:
    case OpId::kSub:
    case OpId::kMul:
    case OpId::kDiv:
      if (node.attribute("alpha") != nullptr) to.SetFloat("alpha", node.Real("alpha", 1));
      if (absl::StartsWith(op, "aten.rsub")) {
        SetScalar(node, "other", 0, lowered);
        return absl::OkStatus();
      }
      SetScalar(node, "self", 0, lowered);
      LowerScalar(node, "other", lowered);
      if (!node.Text("rounding_mode").empty()) {
        to.SetText("rounding_mode", node.Text("rounding_mode"));
      } else {
        to.SetInt("real", 1);
      }
      return absl::OkStatus();
    case OpId::kFloorDiv:
      lowered.op = OpId::kDiv;
      to.SetText("rounding_mode", "floor");
      LowerScalar(node, "other", lowered);
      return absl::OkStatus();
    case OpId::kMod:
      SetScalar(node, "self", 0, lowered);
      LowerScalar(node, "other", lowered);
      return absl::OkStatus();
    case OpId::kFmod:
    case OpId::kBitwiseAnd:
    case OpId::kBitwiseOr:
    case OpId::kBitwiseXor:
    case OpId::kEqual:
    case OpId::kNotEqual:
    case OpId::kLess:
    case OpId::kLessEqual:
    case OpId::kGreater:
    case OpId::kGreaterEqual:
      LowerScalar(node, "other", lowered);
      return absl::OkStatus();
    case OpId::kPow:
      SetScalar(node, "self", 0, lowered);
      LowerScalar(node, "exponent", lowered);
      return absl::OkStatus();
    case OpId::kWhere:
      SetScalar(node, "self", 1, lowered);
      SetScalar(node, "other", 2, lowered);
      return node.attribute("other") != nullptr && node.attribute("self") != nullptr
                 ? absl::UnimplementedError("a choice between two numbers")
                 : absl::OkStatus();
    case OpId::kMaskedFill:
      if (node.attribute("value") != nullptr) {
        lowered.scalar = node.Real("value", 0);
        lowered.scalar_port = 2;
      }
      return absl::OkStatus();
    case OpId::kReduceMean:
    case OpId::kReduceSum:
    case OpId::kReduceProd:
    case OpId::kReduceMax:
    case OpId::kReduceMin:
    case OpId::kReduceAny:
    case OpId::kReduceVariance:
      if (const std::optional<Integers> axes = node.Ints("dim")) to.SetInts("axes", *axes);
      to.SetInt("keepdims", node.Int("keepdim", 0));
      to.SetInt("correction", node.Int("correction", node.Int("unbiased", 1)));
      to.SetInt("propagates_nan", 1);
      if (lowered.op == OpId::kReduceAny) to.SetInt("to", v1::DATA_TYPE_BOOL);
      if (lowered.op == OpId::kReduceSum || lowered.op == OpId::kReduceProd) WidenIntegers(node, lowered);
      SetType(node, lowered);
      return absl::OkStatus();
    case OpId::kMaxDim:
    case OpId::kMinDim:
    case OpId::kArgMax:
    case OpId::kArgMin:
      to.SetInt("propagates_nan", 1);
      to.SetInt("axis", node.Int("dim", 0));
      if (node.attribute("dim") == nullptr) to.SetInt("flat", 1);
      to.SetInt("keepdims", node.Int("keepdim", 0));
      return absl::OkStatus();
    case OpId::kTopK:
      to.SetInt("k", node.Int("k", 1));
      to.SetInt("axis", node.Int("dim", -1));
      to.SetInt("largest", node.Int("largest", 1));
      return absl::OkStatus();
    case OpId::kDiff:
      to.SetInt("n", node.Int("n", 1));
      to.SetInt("axis", node.Int("dim", -1));
      return absl::OkStatus();
    case OpId::kCumSum:
      to.SetInt("axis", node.Int("dim", 0));
      WidenIntegers(node, lowered);
      SetType(node, lowered);
      return absl::OkStatus();
    case OpId::kSoftmax:
    case OpId::kLogSoftmax:
      to.SetInt("axis", node.Int("dim", -1));
      // Of real numbers only; all widths of them are one here.
      SetType(node, lowered);
      return absl::OkStatus();
    case OpId::kLayerNorm:
    case OpId::kRmsNorm: {
      const std::optional<Integers> shape = node.Ints("normalized_shape");
      to.SetInt("axis", -static_cast<int64_t>(shape.has_value() ? shape->size() : 1));
      to.SetFloat("epsilon", node.Real("eps", lowered.op == OpId::kRmsNorm ? 1.1920929e-07 : 1e-5));
      return absl::OkStatus();
    }
    case OpId::kBatchNorm:
      if (node.Int("training", 0) != 0) return absl::UnimplementedError("training");
      to.SetFloat("epsilon", node.Real("eps", 1e-5));
      return absl::OkStatus();
    case OpId::kInstanceNorm:
      return LowerInstanceNorm(node, lowered);
    case OpId::kGroupNorm:
      to.SetInt("num_groups", node.Int("num_groups", node.Int("group", 1)));
      to.SetFloat("epsilon", node.Real("eps", 1e-5));
      return absl::OkStatus();
    case OpId::kReshape: {
      std::optional<Integers> shape = node.Ints("size");
      if (!shape.has_value()) shape = node.Ints("shape");
      if (!shape.has_value() || absl::StartsWith(op, "aten.unflatten"))
        return absl::UnimplementedError("a reshape in this form");
      to.SetInts("shape", *shape);
      to.SetInt("allowzero", 1);
      return absl::OkStatus();
    }
    case OpId::kFlatten:
      return LowerFlatten(node, lowered);
    case OpId::kSqueeze:
      return LowerSqueeze(node, lowered);
    case OpId::kUnsqueeze:
      to.SetInts("axes", {node.Int("dim", 0)});
      return absl::OkStatus();
    case OpId::kTranspose:
      return LowerTranspose(node, lowered);
    case OpId::kConcat:
    case OpId::kStack:
      to.SetInt("promote", 1);
      to.SetInt("axis", node.Int("dim", 0));
      return absl::OkStatus();
    case OpId::kUnstack:
      to.SetInt("axis", node.Int("dim", 0));
      return absl::OkStatus();
    case OpId::kSplit: {
      const int64_t axis = node.Int("dim", 0);
      to.SetInt("axis", axis);
      std::optional<Integers> sizes = node.Ints("split_sizes");
      const v1::Attribute* each = node.attribute("split_size");
      if (sizes.has_value()) {
        to.SetInts("sizes", *sizes);
      } else if (each != nullptr && each->value_case() == v1::Attribute::kI && rank > 0) {
        const int64_t at = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
        if (at < 0 || at >= static_cast<int64_t>(rank) || each->i() < 1)
          return absl::InvalidArgumentError(absl::StrCat("parts of ", each->i()));
        Integers parts;
        for (int64_t left = node.Dims(0)[at]; left > 0; left -= each->i()) {
          parts.push_back(std::min(left, each->i()));
          if (parts.size() > 4096) return absl::UnimplementedError("more than 4096 parts");
        }
        to.SetInts("sizes", parts);
      }
      return absl::OkStatus();
    }
    case OpId::kSlice: {
      const int64_t axis = node.Int("dim", 0);
      const bool narrow = absl::StartsWith(op, "aten.narrow");
      const int64_t start = node.Int("start", 0);
      const int64_t end = narrow ? start + node.Int("length", 0) : node.Int("end", std::numeric_limits<int64_t>::max());
      to.SetInts("starts", {start});
      to.SetInts("ends", {end});
      to.SetInts("axes", {axis});
      to.SetInts("steps", {node.Int("step", 1)});
      return absl::OkStatus();
    }
    case OpId::kSelect:
      to.SetInt("axis", node.Int("dim", 0));
      to.SetInt("index", node.Int("index", 0));
      return absl::OkStatus();
    case OpId::kExpand:
    case OpId::kTile: {
      std::optional<Integers> numbers = node.Ints("size");
      if (!numbers.has_value()) numbers = node.Ints("repeats");
      if (!numbers.has_value()) numbers = node.Ints("dims");
      if (!numbers.has_value()) return absl::UnimplementedError("sizes that are not known before they are needed");
      to.SetInts(lowered.op == OpId::kExpand ? "shape" : "repeats", *numbers);
      return absl::OkStatus();
    }
    case OpId::kPad: {
      const std::optional<Integers> pad = node.Ints("pad");
      if (!pad.has_value() || pad->size() % 2 != 0 || pad->size() > 2 * rank)
        return absl::InvalidArgumentError("pads that do not fit");
      // The last axis first, in pairs.
      Integers pads(2 * rank, 0);
      for (size_t i = 0; i < pad->size() / 2; ++i) {
        pads[rank - 1 - i] = (*pad)[2 * i];
        pads[2 * rank - 1 - i] = (*pad)[2 * i + 1];
      }
      to.SetInts("pads", pads);
      const absl::string_view mode = node.Text("mode");
      if (!mode.empty()) to.SetText("mode", mode == "replicate" ? "edge" : mode == "circular" ? "wrap" : mode);
      to.SetFloat("value", node.Real("value", 0));
      return absl::OkStatus();
    }
    case OpId::kFlip:
      if (const std::optional<Integers> axes = node.Ints("dims")) to.SetInts("axes", *axes);
      return absl::OkStatus();
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
      to.SetInt("blocksize", node.Int("upscale_factor", node.Int("downscale_factor", 1)));
      to.SetText("mode", "CRD");
      return absl::OkStatus();
    case OpId::kTriangle:
      to.SetInt("upper", absl::StartsWith(op, "aten.triu") ? 1 : 0);
      to.SetInt("diagonal", node.Int("diagonal", 0));
      return absl::OkStatus();
    case OpId::kGather:
    case OpId::kGatherElements:
      to.SetInt("axis", node.Int("dim", 0));
      return absl::OkStatus();
    case OpId::kEmbedding:
      lowered.data_ports = 2;
      return absl::OkStatus();
    case OpId::kCast:
      SetType(node, lowered);
      return absl::OkStatus();
    case OpId::kCastLike: {
      const Tensor* like = node.Argument(1);
      if (like == nullptr) return absl::UnimplementedError("the type of what is not computed");
      to.SetInt("to", like->type);
      lowered.op = OpId::kCast;
      lowered.data_ports = 1;
      return absl::OkStatus();
    }
    case OpId::kFill:
    case OpId::kFillLike: {
      std::optional<Integers> shape = node.Ints("size");
      if (shape.has_value()) to.SetInts("shape", *shape);
      if (lowered.op == OpId::kFillLike && shape.has_value()) lowered.op = OpId::kFill;
      const bool one = absl::StrContains(op, "ones");
      to.SetFloat("value", one ? 1 : node.Real("fill_value", node.Real("value", node.Real("s", 0))));
      if (lowered.op == OpId::kFillLike || absl::StartsWith(op, "aten.new_")) {
        if (const Tensor* like = node.Argument(0)) to.SetInt("to", like->type);
      }
      const v1::Attribute* fill = node.attribute("fill_value");
      if (fill != nullptr && fill->value_case() == v1::Attribute::kI && !to.Has("to")) {
        to.SetInt("to", v1::DATA_TYPE_INT64);
      }
      SetType(node, lowered);
      if (lowered.op == OpId::kFill) lowered.data_ports = 0;
      return absl::OkStatus();
    }
    case OpId::kRange: {
      const v1::Attribute* end = node.attribute("end");
      if (end == nullptr) return absl::UnimplementedError("a range whose end is not known before it is needed");
      to.SetFloats("range", {node.Real("start", 0), node.Real("end", 0), node.Real("step", 1)});
      for (absl::string_view name : {"start", "end", "step"}) {
        const v1::Attribute* number = node.attribute(name);
        if (number != nullptr && number->value_case() == v1::Attribute::kF) to.SetInt("to", v1::DATA_TYPE_FLOAT32);
      }
      SetType(node, lowered);
      lowered.data_ports = 0;
      return absl::OkStatus();
    }
    case OpId::kClamp: {
      const bool hardtanh = absl::StartsWith(op, "aten.hardtanh");
      const absl::string_view low = hardtanh ? "min_val" : "min", high = hardtanh ? "max_val" : "max";
      if (node.attribute(low) != nullptr || hardtanh) to.SetFloat("min", node.Real(low, -1));
      if (node.attribute(high) != nullptr || hardtanh) to.SetFloat("max", node.Real(high, 1));
      for (const absl::string_view name : {low, high}) {
        const v1::Attribute* limit = node.attribute(name);
        // Integers within limits of real numbers are real numbers.
        if (limit != nullptr && limit->value_case() == v1::Attribute::kF) to.SetInt("real", 1);
      }
      for (int i = 1; i <= 2; ++i) {
        if (node.HasArgument(i)) return absl::UnimplementedError("limits that are tensors");
      }
      return absl::OkStatus();
    }
    case OpId::kSliceScatter: {
      if (node.Int("step", 1) != 1) return absl::UnimplementedError("a part that is written with a step");
      (void)node.attribute("end");  // what is written has its size
      const absl::Span<const int64_t> dims = node.Dims(0);
      const int64_t rank = static_cast<int64_t>(dims.size()), stated = node.Int("dim", 0);
      const int64_t dim = stated < 0 ? stated + rank : stated, start = node.Int("start", 0);
      if (dim < 0 || dim >= rank) return absl::InvalidArgumentError(absl::StrCat("axis ", stated, " of ", rank));
      Integers starts(dims.size(), 0);
      starts[dim] = start < 0 ? start + dims[dim] : start;
      to.SetInts("starts", starts);
      return absl::OkStatus();
    }
    case OpId::kLeakyRelu:
      to.SetFloat("alpha", node.Real("negative_slope", 0.01));
      return absl::OkStatus();
    case OpId::kElu:
      to.SetFloat("scale", node.Real("scale", 1));
      to.SetFloat("input_scale", node.Real("input_scale", 1));
      [[fallthrough]];
    case OpId::kCelu:
      to.SetFloat("alpha", node.Real("alpha", 1));
      return absl::OkStatus();
    case OpId::kPRelu:
      LowerPRelu(node, lowered);
      return absl::OkStatus();
    case OpId::kSoftplus:
      to.SetFloat("beta", node.Real("beta", 1));
      to.SetFloat("threshold", node.Real("threshold", 20));
      return absl::OkStatus();
    case OpId::kRound:
      to.SetInt("decimals", node.Int("decimals", 0));
      return absl::OkStatus();
    case OpId::kHardSigmoid:
      to.SetFloat("alpha", 1.0 / 6);
      to.SetFloat("beta", 0.5);
      return absl::OkStatus();
    case OpId::kGelu:
      if (!node.Text("approximate").empty()) to.SetText("approximate", node.Text("approximate"));
      return absl::OkStatus();
    case OpId::kResizeNearest:
    case OpId::kResizeBilinear: {
      std::optional<Integers> size = node.Ints("output_size");
      if (!size.has_value() || size->empty()) size = SizesByFactors(node);
      if (!size.has_value()) return absl::UnimplementedError("a resize by factors that are no whole numbers");
      to.SetInts("sizes", *size);
      to.SetText("mode", lowered.op == OpId::kResizeNearest ? "nearest" : "linear");
      const bool align = node.Int("align_corners", 0) != 0;
      to.SetText("coordinate_transformation_mode", lowered.op == OpId::kResizeNearest ? "asymmetric"
                                                   : align                            ? "align_corners"
                                                                                      : "half_pixel");
      to.SetText("nearest_mode", "floor");
      return absl::OkStatus();
    }
    case OpId::kDropout:
      return node.Int("train", 0) != 0 ? absl::UnimplementedError("training") : absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

}  // namespace quantgate::simulator
