// Other sizes: by nearest neighbors, along lines or cubic curves between them, or as averages of what lies under them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"

namespace quantgate::simulator {
namespace {

// ONNX states how coordinates are computed, and its runtimes do it in single precision: 1 / (1 / 3) is 3 there.
double SourceInFloat(absl::string_view mode, int64_t i, int64_t in, int64_t out, float scale) {
  const auto x = static_cast<float>(i), before = static_cast<float>(in), after = static_cast<float>(out);
  if (mode == "align_corners") return out == 1 ? 0 : x * (before - 1) / (after - 1);
  if (mode == "asymmetric") return x / scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5f) / scale;
  if (mode == "pytorch_half_pixel" && out == 1) return 0;
  if (mode == "half_pixel_symmetric") {
    const float offset = before / 2 * (1 - after / (scale * before));
    return offset + (x + 0.5f) / scale - 0.5f;
  }
  return (x + 0.5f) / scale - 0.5f;
}

// Position in the input of output `i` along one axis.
double Source(const Attributes& attributes, int64_t i, int64_t in, int64_t out, double scale) {
  absl::string_view mode = attributes.Text("coordinate_transformation_mode", "");
  if (!mode.empty() && mode != "half_pixel_nearest") {
    return SourceInFloat(mode, i, in, out, static_cast<float>(scale));
  }
  if (mode.empty()) {
    mode = attributes.Int("align_corners", 0) != 0        ? "align_corners"
           : attributes.Int("half_pixel_centers", 0) != 0 ? "half_pixel"
                                                          : "asymmetric";
  }
  const double x = static_cast<double>(i);
  if (mode == "align_corners") {
    return out == 1 ? 0 : x * static_cast<double>(in - 1) / static_cast<double>(out - 1);
  }
  if (mode == "asymmetric") return x / scale;
  if (mode == "half_pixel_nearest") return (x + 0.5) / scale;
  return (x + 0.5) / scale - 0.5;
}

int64_t Nearest(const Attributes& attributes, double position, int64_t in, double scale) {
  absl::string_view mode = attributes.Text("nearest_mode", "round_prefer_floor");
  // Before ONNX said which one is nearest.
  if (mode == "simple") mode = scale < 1 ? "ceil" : "floor";
  // ONNX Runtime calls what is this close to the middle the middle.
  constexpr double kTie = 1e-6;
  const bool in_onnx = !attributes.Text("coordinate_transformation_mode", "").empty();
  if (in_onnx && absl::StartsWith(mode, "round") && std::fabs(position - std::floor(position) - 0.5) < kTie) {
    mode = mode == "round_prefer_ceil" ? "ceil" : "floor";
  }
  double nearest = mode == "floor"               ? std::floor(position)
                   : mode == "ceil"              ? std::ceil(position)
                   : mode == "round_prefer_ceil" ? std::floor(position + 0.5)
                                                 : std::ceil(position - 0.5);
  return std::min(std::max<int64_t>(static_cast<int64_t>(nearest), 0), in - 1);
}

// How one axis is resized.
struct AxisResize {
  const Attributes& attributes;
  absl::string_view mode;  // "nearest", "linear", "cubic"
  int64_t in = 1, out = 1;
  double scale = 1;
  bool crops = false;  // to [start, end] of the input, as shares of it
  double start = 0, end = 1;
};

struct Tap {
  int64_t index;
  double weight;
};

// Keys' curve.
double Cubic(double x, double a) {
  x = std::fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

void Normalize(std::vector<Tap>& taps) {
  double sum = 0;
  for (const Tap& tap : taps) sum += tap.weight;
  for (Tap& tap : taps) tap.weight = sum == 0 ? 0 : tap.weight / sum;
}

// The input elements that output `i` is made of. False: it lies outside of the input.
bool TapsOf(const AxisResize& axis, int64_t i, std::vector<Tap>& taps) {
  taps.clear();
  const double a = axis.attributes.Float("cubic_coeff_a", -0.75);
  const double last = static_cast<double>(axis.in - 1);
  double where = Source(axis.attributes, i, axis.in, axis.out, axis.scale);
  if (axis.crops) {
    where = axis.out > 1 ? axis.start * last + static_cast<double>(i) * (axis.end - axis.start) * last /
                                                   static_cast<double>(axis.out - 1)
                         : 0.5 * (axis.start + axis.end) * last;
    if (where < 0 || where > last) return false;
  }
  if (axis.mode == "nearest") {
    taps.push_back({Nearest(axis.attributes, where, axis.in, axis.scale), 1});
    return true;
  }
  const bool cubic = axis.mode == "cubic";
  if (axis.scale < 1 && axis.attributes.Int("antialias", 0) != 0) {
    // The curve is as wide as what one output covers; beyond its ends the input goes on as it ends.
    const double support = (cubic ? 2 : 1) / axis.scale, center = where + 0.5;
    const bool exclude = axis.attributes.Int("exclude_outside", 0) != 0;
    const auto first = static_cast<int64_t>(std::floor(center - support + 0.5));
    const auto behind = static_cast<int64_t>(std::floor(center + support + 0.5));
    for (int64_t k = first; k < behind; ++k) {
      if (exclude && (k < 0 || k >= axis.in)) continue;
      const double distance = (static_cast<double>(k) - center + 0.5) * axis.scale;
      const double weight = cubic ? Cubic(distance, a) : std::max(0.0, 1 - std::fabs(distance));
      taps.push_back({std::min(std::max<int64_t>(k, 0), axis.in - 1), weight});
    }
    Normalize(taps);
    return true;
  }
  if (!cubic) {
    where = std::min(std::max(where, 0.0), last);
    const auto low = static_cast<int64_t>(where);
    const double share = where - static_cast<double>(low);
    taps.push_back({low, 1 - share});
    if (share != 0) taps.push_back({std::min(low + 1, axis.in - 1), share});
    return true;
  }
  const double floor = std::floor(where);
  const bool exclude = axis.attributes.Int("exclude_outside", 0) != 0;
  for (int64_t k = static_cast<int64_t>(floor) - 1; k <= static_cast<int64_t>(floor) + 2; ++k) {
    const bool outside = k < 0 || k >= axis.in;
    if (outside && exclude) continue;
    taps.push_back({std::min(std::max<int64_t>(k, 0), axis.in - 1), Cubic(where - static_cast<double>(k), a)});
  }
  if (exclude) Normalize(taps);
  return true;
}

// In single precision where ONNX states it, as its runtimes multiply.
double ScaledSize(double taken, double scale, absl::string_view coordinates) {
  if (coordinates.empty()) return std::floor(taken * scale);
  return std::floor(static_cast<float>(taken) * static_cast<float>(scale));
}

absl::Status CheckRoom(const FloatCall& call, const Dims& dims) {
  const absl::StatusOr<int64_t> count = ElementCount(dims);
  if (!count.ok()) return count.status();
  if (*count <= call.max_bytes / 4) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("a resize to ", *count, " elements, where ", call.max_bytes, " bytes are allowed"));
}

}  // namespace

absl::Status RunResize(FloatCall& call) {
  const absl::StatusOr<absl::Span<const float>> in = FloatInput(call, 0);
  if (!in.ok()) return in.status();
  const bool last = call.layout == Layout::kChannelsLast;
  Tensor x = last ? ToChannelsFirst(*call.inputs[0]) : *call.inputs[0];
  const size_t rank = x.dims.size();
  const Attributes& attributes = call.attributes;
  absl::string_view mode = attributes.Text("mode", call.op == OpId::kResizeBilinear ? "linear" : "nearest");
  if (mode == "bilinear") mode = "linear";
  if (mode != "nearest" && mode != "linear" && mode != "cubic") {
    return absl::UnimplementedError(absl::StrCat("a resize in mode ", mode));
  }
  const absl::string_view coordinates = attributes.Text("coordinate_transformation_mode", "");
  if (attributes.Int("antialias", 0) != 0 && coordinates != "half_pixel" && coordinates != "pytorch_half_pixel") {
    return absl::UnimplementedError("a resize with antialiasing in other coordinates than half_pixel");
  }
  const bool crops = coordinates == "tf_crop_and_resize";
  const absl::Span<const double> region = attributes.Floats("roi");
  if (crops && region.size() != 2 * rank) return absl::InvalidArgumentError("a region that has not two ends an axis");
  const auto beyond = static_cast<float>(attributes.Float("extrapolation_value", 0));
  const absl::Span<const int64_t> sizes = attributes.Ints("sizes");
  const absl::Span<const double> scales = attributes.Floats("scales");
  // Stated for all axes, or for the spatial ones.
  const auto position = [&](size_t axis, size_t given) {
    return given == rank ? static_cast<int64_t>(axis) : static_cast<int64_t>(axis) - static_cast<int64_t>(rank - given);
  };
  // The result may be too large where the first axis alone would not be.
  std::vector<AxisResize> axes;
  Dims result = x.dims;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = x.dims[axis];
    axes.push_back({attributes, mode, before, before});
    const bool by_size = !sizes.empty();
    const int64_t at = position(axis, by_size ? sizes.size() : scales.size());
    if (at < 0) continue;
    AxisResize& along = axes.back();
    along.crops = crops;
    if (crops) {
      along.start = region[axis];
      along.end = region[rank + axis];
    }
    const double taken = static_cast<double>(before) * (along.end - along.start);
    const double scale = by_size && scales.size() != rank ? static_cast<double>(sizes[at]) / static_cast<double>(before)
                                                          : scales[position(axis, scales.size())];
    const double exact = by_size ? static_cast<double>(sizes[at]) : ScaledSize(taken, scale, coordinates);
    if (!(exact >= 1) || exact > 1e9 || before < 1 || !(scale > 0)) {
      return absl::InvalidArgumentError(absl::StrCat("a resize of ", before, " elements to ", exact));
    }
    along.scale = scale;
    result[axis] = along.out = static_cast<int64_t>(exact);
  }
  if (absl::Status status = CheckRoom(call, result); !status.ok()) return status;
  // Whatever the scales are: ONNX Runtime copies what keeps its shape.
  if (!coordinates.empty() && !crops && result == x.dims) {
    call.outputs[0] = *call.inputs[0];
    return absl::OkStatus();
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    const AxisResize& along = axes[axis];
    const int64_t before = along.in, after = along.out;
    if (after == before && along.scale == 1 && !(crops && (along.start != 0 || along.end != 1))) continue;
    Dims dims = x.dims;
    dims[axis] = after;
    if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
    Tensor& out = call.outputs[0];
    const int64_t inner = Count(absl::MakeConstSpan(dims).subspan(axis + 1));
    const int64_t outer = Count(absl::MakeConstSpan(dims).subspan(0, axis));
    const float* from = x.as<float>().data();
    float* to = out.as<float>().data();
    std::vector<Tap> taps;
    for (int64_t i = 0; i < after; ++i) {
      const bool inside = TapsOf(along, i, taps);
      for (int64_t o = 0; o < outer; ++o) {
        float* result = to + (o * after + i) * inner;
        std::fill(result, result + inner, inside ? 0.0f : beyond);
        for (const Tap& tap : taps) {
          const float* line = from + (o * before + tap.index) * inner;
          const auto weight = static_cast<float>(tap.weight);
          if (taps.size() == 1) {
            std::copy_n(line, inner, result);
          } else {
            for (int64_t k = 0; k < inner; ++k) result[k] += line[k] * weight;
          }
        }
      }
    }
    x = out;
  }
  call.outputs[0] = last ? ToChannelsLast(x) : std::move(x);
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
