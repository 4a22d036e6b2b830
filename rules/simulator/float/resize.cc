// Other sizes by nearest neighbors or along lines between them.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"

namespace quantgate::simulator {
namespace {

// Position in the input of output `i` along one axis.
double Source(const Attributes& attributes, int64_t i, int64_t in, int64_t out, double scale) {
  absl::string_view mode = attributes.Text("coordinate_transformation_mode", "");
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
  if (mode == "pytorch_half_pixel" && out == 1) return 0;
  if (mode == "half_pixel_symmetric") {
    const double center = static_cast<double>(in) / 2;
    const double adjustment = static_cast<double>(out) / (scale * static_cast<double>(in));
    return center * (1 - adjustment) + (x + 0.5) / scale - 0.5;
  }
  return (x + 0.5) / scale - 0.5;
}

int64_t Nearest(const Attributes& attributes, double position, int64_t in) {
  const absl::string_view mode = attributes.Text("nearest_mode", "round_prefer_floor");
  double nearest = mode == "floor"               ? std::floor(position)
                   : mode == "ceil"              ? std::ceil(position)
                   : mode == "round_prefer_ceil" ? std::floor(position + 0.5)
                                                 : std::ceil(position - 0.5);
  return std::min(std::max<int64_t>(static_cast<int64_t>(nearest), 0), in - 1);
}

}  // namespace

absl::Status RunResize(FloatCall& call) {
  const absl::StatusOr<absl::Span<const float>> in = FloatInput(call, 0);
  if (!in.ok()) return in.status();
  const bool last = call.layout == Layout::kChannelsLast;
  Tensor x = last ? ToChannelsFirst(*call.inputs[0]) : *call.inputs[0];
  const size_t rank = x.dims.size();
  const Attributes& attributes = call.attributes;
  const absl::string_view mode = attributes.Text("mode", call.op == OpId::kResizeBilinear ? "linear" : "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear") {
    return absl::UnimplementedError(absl::StrCat("a resize in mode ", mode));
  }
  const absl::Span<const int64_t> sizes = attributes.Ints("sizes");
  const absl::Span<const double> scales = attributes.Floats("scales");
  // Stated for all axes, or for the spatial ones.
  const auto position = [&](size_t axis, size_t given) {
    return given == rank ? static_cast<int64_t>(axis) : static_cast<int64_t>(axis) - static_cast<int64_t>(rank - given);
  };
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = x.dims[axis];
    const bool by_size = !sizes.empty();
    const int64_t at = position(axis, by_size ? sizes.size() : scales.size());
    if (at < 0) continue;
    const double scale = by_size ? static_cast<double>(sizes[at]) / static_cast<double>(before) : scales[at];
    const double exact = by_size ? static_cast<double>(sizes[at]) : std::floor(static_cast<double>(before) * scale);
    if (!(exact >= 1) || exact > 1e9 || before < 1 || !(scale > 0)) {
      return absl::InvalidArgumentError(absl::StrCat("a resize of ", before, " elements to ", exact));
    }
    const auto after = static_cast<int64_t>(exact);
    if (after == before && scale == 1) continue;
    Dims dims = x.dims;
    dims[axis] = after;
    if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
    Tensor& out = call.outputs[0];
    const int64_t inner = Count(absl::MakeConstSpan(dims).subspan(axis + 1));
    const int64_t outer = Count(absl::MakeConstSpan(dims).subspan(0, axis));
    const float* from = x.as<float>().data();
    float* to = out.as<float>().data();
    for (int64_t i = 0; i < after; ++i) {
      double where = Source(attributes, i, before, after, scale);
      int64_t low, high;
      float share = 0;
      if (mode == "nearest") {
        low = high = Nearest(attributes, where, before);
      } else {
        where = std::min(std::max(where, 0.0), static_cast<double>(before - 1));
        low = static_cast<int64_t>(where);
        high = std::min(low + 1, before - 1);
        share = static_cast<float>(where - static_cast<double>(low));
      }
      for (int64_t o = 0; o < outer; ++o) {
        const float* a = from + (o * before + low) * inner;
        const float* b = from + (o * before + high) * inner;
        float* result = to + (o * after + i) * inner;
        for (int64_t k = 0; k < inner; ++k) result[k] = share == 0 ? a[k] : a[k] * (1 - share) + b[k] * share;
      }
    }
    x = out;
  }
  call.outputs[0] = last ? ToChannelsLast(x) : std::move(x);
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
