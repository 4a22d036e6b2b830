// Resizing of images: nearest neighbor and bilinear.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernels/decomposed.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/kernels/move.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

struct Image {
  int64_t batch = 1, channels = 1, height = 1, width = 1, out_height = 1, out_width = 1;
  float scale_y = 0, scale_x = 0;  // output / input, as stated or as sizes have it
  bool last = false;
  std::vector<int64_t> dims;  // of the output

  int64_t At(int64_t n, int64_t c, int64_t y, int64_t x) const {
    return last ? ((n * height + y) * width + x) * channels + c : ((n * channels + c) * height + y) * width + x;
  }
};

absl::StatusOr<Image> ImageOf(const KernelCall& call) {
  const std::vector<int64_t>& dims = call.inputs[0]->tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  if (dims.size() != 4) return absl::UnimplementedError(absl::StrCat("resizing of rank ", dims.size()));
  Image image;
  image.last = call.layout == Layout::kChannelsLast;
  const int first = image.last ? 1 : 2;
  image.batch = dims[0];
  image.channels = dims[image.last ? 3 : 1];
  image.height = dims[first];
  image.width = dims[first + 1];
  const absl::Span<const int64_t> sizes = attributes.Ints("sizes");
  const absl::Span<const double> scales = attributes.Floats("scales");
  if (sizes.size() == 2 || sizes.size() == 4) {
    const size_t at = sizes.size() == 2 ? 0 : first;
    image.out_height = sizes[at];
    image.out_width = sizes[at + 1];
    if (image.height > 0 && image.width > 0) {
      image.scale_y = static_cast<float>(image.out_height) / static_cast<float>(image.height);
      image.scale_x = static_cast<float>(image.out_width) / static_cast<float>(image.width);
    }
  } else if (scales.size() == 2 || scales.size() == 4) {
    const size_t at = scales.size() == 2 ? 0 : first;
    image.scale_y = static_cast<float>(scales[at]);
    image.scale_x = static_cast<float>(scales[at + 1]);
    const float height = std::floor(static_cast<float>(image.height) * image.scale_y);
    const float width = std::floor(static_cast<float>(image.width) * image.scale_x);
    image.out_height = height >= 0 && height < 1e9 ? static_cast<int64_t>(height) : -1;
    image.out_width = width >= 0 && width < 1e9 ? static_cast<int64_t>(width) : -1;
  } else {
    return absl::InvalidArgumentError("a resize without sizes and scales");
  }
  if (image.out_height < 1 || image.out_width < 1 || image.out_height > (1 << 24) || image.out_width > (1 << 24) ||
      image.height < 1 || image.width < 1 || image.height > (1 << 24) || image.width > (1 << 24)) {
    return absl::InvalidArgumentError(
        absl::StrCat("resizing ", image.height, " x ", image.width, " to ", image.out_height, " x ", image.out_width));
  }
  image.dims = dims;
  image.dims[first] = image.out_height;
  image.dims[first + 1] = image.out_width;
  return image;
}

// ONNX's coordinate of output i in the input.
float Original(absl::string_view mode, int64_t i, float scale, int64_t in, int64_t out) {
  const float x = static_cast<float>(i);
  if (mode == "asymmetric") return x / scale;
  if (mode == "align_corners") return out == 1 ? 0 : x * static_cast<float>(in - 1) / static_cast<float>(out - 1);
  if (mode == "pytorch_half_pixel" && out == 1) return 0;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5f) / scale;
  return (x + 0.5f) / scale - 0.5f;
}

absl::string_view Coordinates(const Attributes& attributes) {
  if (attributes.Int("align_corners", 0) != 0) return "align_corners";
  if (attributes.Int("half_pixel_centers", 0) != 0) return "half_pixel";
  return attributes.Text("coordinate_transformation_mode",
                         attributes.Has("half_pixel_centers") ? "asymmetric" : "half_pixel");
}

std::vector<int64_t> NearestOnnx(const Attributes& attributes, float scale, int64_t in, int64_t out) {
  absl::string_view mode = attributes.Text("nearest_mode", "round_prefer_floor");
  if (mode == "simple") mode = scale < 1 ? "ceil" : "floor";  // before ONNX said which one is nearest
  std::vector<int64_t> index;
  for (int64_t i = 0; i < out; ++i) {
    const float x = Original(Coordinates(attributes), i, scale, in, out);
    float at = 0;
    // ONNX Runtime calls what is this close to the middle the middle.
    const bool tie = mode != "floor" && mode != "ceil" && std::fabs(x - std::floor(x) - 0.5f) < 1e-6f;
    if (tie) {
      at = mode == "round_prefer_ceil" ? std::ceil(x) : std::floor(x);
    } else if (mode == "floor") {
      at = std::floor(x);
    } else if (mode == "ceil") {
      at = std::ceil(x);
    } else if (mode == "round_prefer_ceil") {
      at = std::floor(x + 0.5f);
    } else {
      at = std::ceil(x - 0.5f);
    }
    index.push_back(std::clamp<int64_t>(static_cast<int64_t>(std::clamp(at, -1.0f, 2e7f)), 0, in - 1));
  }
  return index;
}

std::vector<int64_t> NearestLiteRt(const Attributes& attributes, int64_t in, int64_t out) {
  const bool align = attributes.Int("align_corners", 0) != 0, half = attributes.Int("half_pixel_centers", 0) != 0;
  const float scale = align && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                       : static_cast<float>(in) / static_cast<float>(out);
  std::vector<int64_t> index;
  for (int64_t i = 0; i < out; ++i) {
    const float x = (static_cast<float>(i) + (half ? 0.5f : 0.0f)) * scale;
    index.push_back(std::clamp<int64_t>(static_cast<int64_t>(align ? std::round(x) : std::floor(x)), 0, in - 1));
  }
  return index;
}

// The two input positions that an output lies between, and how far from the first.
template <typename Weight>
struct Between {
  int64_t low, high;
  Weight weight;
};

// LiteRT's two flags, also where the graph says the same in ONNX's words.
struct Positions {
  bool align = false, half = false;
};

Positions PositionsOf(const Attributes& attributes, int64_t out) {
  const absl::string_view mode = attributes.Text("coordinate_transformation_mode", "");
  return {attributes.Int("align_corners", 0) != 0 || mode == "align_corners",
          attributes.Int("half_pixel_centers", 0) != 0 || mode == "half_pixel" ||
              (mode == "pytorch_half_pixel" && out > 1)};
}

// LiteRT: weights in 1/1024, in integers throughout.
std::vector<Between<int64_t>> BetweenLiteRt(const Attributes& attributes, int64_t in, int64_t out) {
  const auto [corners, half] = PositionsOf(attributes, out);
  const bool align = corners && out > 1;
  const int64_t scale = align ? (1024 * (in - 1) + (out - 1) / 2) / (out - 1) : (1024 * in + out / 2) / out;
  std::vector<Between<int64_t>> to;
  for (int64_t i = 0; i < out; ++i) {
    const int64_t x = half ? i * scale + scale / 2 - 512 : i * scale;
    const int64_t low = std::clamp<int64_t>(x / 1024, 0, in - 1);
    to.push_back({low, std::clamp<int64_t>((x + 1023) / 1024, 0, in - 1), x - 1024 * low});
  }
  return to;
}

// XNNPACK: weights in 1/2048, rounded from float.
std::vector<Between<int64_t>> BetweenXnnpack(const Attributes& attributes, int64_t in, int64_t out) {
  const auto [align, half] = PositionsOf(attributes, out);
  const int64_t less = align && out != 1 ? 1 : 0;
  const float scale = static_cast<float>(in - less) / static_cast<float>(out - less);
  const float offset = half && !align ? 0.5f * scale - 0.5f : 0;
  std::vector<Between<int64_t>> to;
  for (int64_t i = 0; i < out; ++i) {
    const float x = std::clamp(static_cast<float>(i) * scale + offset, 0.0f, static_cast<float>(in - 1));
    const int64_t low = static_cast<int64_t>(x);
    to.push_back({low, std::min(low + 1, in - 1), std::lrint((x - static_cast<float>(low)) * 2048.0f)});
  }
  return to;
}

// ONNX Runtime: the two weights as distances; halves where both positions are one.
struct Weights {
  int64_t low, high;
  float to_low, to_high;
};

std::vector<Weights> BetweenFloat(const Attributes& attributes, float scale, int64_t in, int64_t out) {
  std::vector<Weights> to;
  for (int64_t i = 0; i < out; ++i) {
    const float x = std::clamp(Original(Coordinates(attributes), i, scale, in, out), 0.0f, static_cast<float>(in - 1));
    const int64_t low = std::min(static_cast<int64_t>(x), in - 1), high = std::min(low + 1, in - 1);
    const bool one = low == high;
    to.push_back({low, high, one ? 0.5f : std::fabs(x - static_cast<float>(low)),
                  one ? 0.5f : std::fabs(x - static_cast<float>(high))});
  }
  return to;
}

// Calls body(output element, n, y, x, c) for all of the output, in its order.
template <typename Body>
void ForEachPixel(const Image& image, Body body) {
  int64_t to = 0;
  for (int64_t n = 0; n < image.batch; ++n) {
    if (image.last) {
      for (int64_t y = 0; y < image.out_height; ++y) {
        for (int64_t x = 0; x < image.out_width; ++x) {
          for (int64_t c = 0; c < image.channels; ++c) body(to++, n, y, x, c);
        }
      }
      continue;
    }
    for (int64_t c = 0; c < image.channels; ++c) {
      for (int64_t y = 0; y < image.out_height; ++y) {
        for (int64_t x = 0; x < image.out_width; ++x) body(to++, n, y, x, c);
      }
    }
  }
}

absl::Status BilinearFloat(const Profile& profile, KernelCall& call, const Image& image) {
  const Attributes& attributes = AttributesOf(call);
  std::vector<float> values;
  if (absl::Status status = DequantizeToFloats(profile, *call.inputs[0], values); !status.ok()) return status;
  absl::StatusOr<int64_t> count = ElementCount(image.dims);
  if (!count.ok()) return count.status();
  const std::vector<Weights> rows = BetweenFloat(attributes, image.scale_y, image.height, image.out_height);
  const std::vector<Weights> columns = BetweenFloat(attributes, image.scale_x, image.width, image.out_width);
  std::vector<float> result(static_cast<size_t>(*count));
  ForEachPixel(image, [&](int64_t to, int64_t n, int64_t y, int64_t x, int64_t c) {
    const Weights &v = rows[y], &h = columns[x];
    result[to] = h.to_high * v.to_high * values[image.At(n, c, v.low, h.low)] +
                 h.to_low * v.to_high * values[image.At(n, c, v.low, h.high)] +
                 h.to_high * v.to_low * values[image.At(n, c, v.high, h.low)] +
                 h.to_low * v.to_low * values[image.At(n, c, v.high, h.high)];
  });
  return StoreFloats(profile, image.dims, result, call.outputs[0]);
}

// LiteRT, uint8: float32 weights, plus one half, truncated.
absl::Status BilinearUint8(KernelCall& call, const Image& image) {
  const Attributes& attributes = AttributesOf(call);
  const auto between = [&](int64_t in, int64_t out) {
    const auto [align, half] = PositionsOf(attributes, out);
    const float scale = align && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                         : static_cast<float>(in) / static_cast<float>(out);
    std::vector<Between<float>> to;
    for (int64_t i = 0; i < out; ++i) {
      const float x = half ? (static_cast<float>(i) + 0.5f) * scale - 0.5f : static_cast<float>(i) * scale;
      const int64_t low = std::clamp<int64_t>(static_cast<int64_t>(std::floor(x)), 0, in - 1);
      to.push_back(
          {low, std::clamp<int64_t>(static_cast<int64_t>(std::ceil(x)), 0, in - 1), x - static_cast<float>(low)});
    }
    return to;
  };
  const auto rows = between(image.height, image.out_height), columns = between(image.width, image.out_width);
  Tensor& out = call.outputs[0].tensor;
  if (absl::Status status = Allocate(image.dims, out); !status.ok()) return status;
  const absl::Span<const uint8_t> values = call.inputs[0]->tensor.as<uint8_t>();
  const absl::Span<uint8_t> to = out.as<uint8_t>();
  ForEachPixel(image, [&](int64_t i, int64_t n, int64_t y, int64_t x, int64_t c) {
    const auto &v = rows[y], &h = columns[x];
    const auto at = [&](int64_t row, int64_t column) {
      return static_cast<float>(values[image.At(n, c, row, column)]);
    };
    const float sum = at(v.low, h.low) * (1 - v.weight) * (1 - h.weight) +
                      at(v.high, h.low) * v.weight * (1 - h.weight) + at(v.low, h.high) * (1 - v.weight) * h.weight +
                      at(v.high, h.high) * v.weight * h.weight;
    to[i] = static_cast<uint8_t>(std::clamp(sum + 0.5f, 0.0f, 255.0f));
  });
  return absl::OkStatus();
}

absl::Status BilinearFixed(KernelCall& call, const Image& image, bool xnnpack) {
  const Attributes& attributes = AttributesOf(call);
  QTensor& out = call.outputs[0];
  const auto rows = xnnpack ? BetweenXnnpack(attributes, image.height, image.out_height)
                            : BetweenLiteRt(attributes, image.height, image.out_height);
  const auto columns = xnnpack ? BetweenXnnpack(attributes, image.width, image.out_width)
                               : BetweenLiteRt(attributes, image.width, image.out_width);
  if (absl::Status status = Allocate(image.dims, out.tensor); !status.ok()) return status;
  const std::vector<int64_t> values = Load<int64_t>(call.inputs[0]->tensor);
  std::vector<int64_t> result(out.tensor.data.size() / ElementSize(out.tensor.type));
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type), one = xnnpack ? 2048 : 1024;
  ForEachPixel(image, [&](int64_t to, int64_t n, int64_t y, int64_t x, int64_t c) {
    const auto &v = rows[y], &h = columns[x];
    const int64_t sum = values[image.At(n, c, v.low, h.low)] * (one - v.weight) * (one - h.weight) +
                        values[image.At(n, c, v.high, h.low)] * v.weight * (one - h.weight) +
                        values[image.At(n, c, v.low, h.high)] * (one - v.weight) * h.weight +
                        values[image.At(n, c, v.high, h.high)] * v.weight * h.weight;
    const int64_t rounded =
        xnnpack ? (sum + (int64_t{1} << 21)) >> 22 : (sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20);
    result[to] = std::clamp(rounded, low, high);
  });
  Store(out.tensor, [&](size_t i) { return result[i]; });
  return absl::OkStatus();
}

}  // namespace

absl::Status Resize(const Profile& profile, KernelCall& call) {
  const absl::string_view coordinates = AttributesOf(call).Text("coordinate_transformation_mode", "");
  if (coordinates == "tf_crop_and_resize" || coordinates == "half_pixel_symmetric" ||
      AttributesOf(call).Int("antialias", 0) != 0) {
    return absl::UnimplementedError("no integer kernel resizes in this form");
  }
  absl::StatusOr<Image> image = ImageOf(call);
  if (!image.ok()) return image.status();
  const Attributes& attributes = AttributesOf(call);
  const QTensor& in = *call.inputs[0];
  const QTensor& out = call.outputs[0];
  const bool litert = profile.family == Family::kLiteRt || profile.family == Family::kXnnpack;
  const absl::string_view mode = attributes.Text("mode", "nearest");
  const bool linear = call.op == OpId::kResizeBilinear || (call.op == OpId::kResize && mode == "linear");
  if (linear) {
    const bool same = IsQuantizedInteger(in) && in.tensor.type == out.tensor.type && in.q.scales == out.q.scales &&
                      in.q.zero_point() == out.q.zero_point();
    const bool xnnpack =
        BitWidth(in.tensor.type) == 8 && (profile.xnnpack_delegate || profile.family == Family::kXnnpack);
    if (litert && same && !xnnpack && in.tensor.type == v1::DATA_TYPE_UINT8) return BilinearUint8(call, *image);
    return litert && same ? BilinearFixed(call, *image, xnnpack) : BilinearFloat(profile, call, *image);
  }
  if (call.op == OpId::kResizeBicubic || (call.op == OpId::kResize && mode != "nearest")) {
    return absl::UnimplementedError(absl::StrCat("no integer kernel resizes by ", mode));
  }
  // What is picked is no matter of arithmetic: a graph of another origin means its own positions.
  const bool flags = litert && (coordinates.empty() || attributes.Has("half_pixel_centers"));
  const auto rows = flags ? NearestLiteRt(attributes, image->height, image->out_height)
                          : NearestOnnx(attributes, image->scale_y, image->height, image->out_height);
  const auto columns = flags ? NearestLiteRt(attributes, image->width, image->out_width)
                             : NearestOnnx(attributes, image->scale_x, image->width, image->out_width);
  absl::StatusOr<int64_t> count = ElementCount(image->dims);
  if (!count.ok()) return count.status();
  if (*count > (int64_t{1} << 31))
    return absl::ResourceExhaustedError(absl::StrCat("resizing to ", *count, " elements"));
  std::vector<int64_t> index(static_cast<size_t>(*count));
  ForEachPixel(*image, [&](int64_t to, int64_t n, int64_t y, int64_t x, int64_t c) {
    index[to] = image->At(n, c, rows[y], columns[x]);
  });
  return Move(profile, call.op, in, image->dims, index, 0, call.outputs[0]);
}

}  // namespace quantgate::simulator
