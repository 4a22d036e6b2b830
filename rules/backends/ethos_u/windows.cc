#include "rules/backends/ethos_u/windows.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/ethos_u/padding.h"
#include "rules/backends/ethos_u/products.h"

namespace quantgate::ethos_u {
namespace {

bool IsPowerOfTwo(int64_t number) { return number > 0 && absl::has_single_bit(static_cast<uint64_t>(number)); }

Size Strides(const Call& call) { return {call.option("stride_w", 1), call.option("stride_h", 1)}; }

bool IsSame(const Call& call) { return call.option("padding", 0) == 0; }

// Of a pool, or of a convolution's filter in the order output channels, height, width, input channels
// (DEPTHWISE_CONV_2D: 1, height, width, output channels).
std::optional<Size> Kernel(const Call& call) {
  if (call.Is("AVERAGE_POOL_2D") || call.Is("MAX_POOL_2D")) {
    return Size{call.option("filter_width", 1), call.option("filter_height", 1)};
  }
  const std::optional<Dims> filter = call.input_dims(1);
  if (!filter || filter->size() != 4) return std::nullopt;
  return Size{(*filter)[2], (*filter)[1]};
}

// Whether padding SAME adds anything.
bool IsPadded(const Call& call) {
  if (!IsSame(call)) return false;
  const std::optional<Dims> in = call.input_dims(0), out = call.output_dims();
  const std::optional<Size> kernel = Kernel(call);
  if (!in || !out || !kernel) return true;
  const std::array<int64_t, 4> data = Nhwc(*in), result = Nhwc(*out);
  const Size strides = Strides(call);
  const int64_t dilated_width = (kernel->width - 1) * call.option("dilation_w_factor", 1) + 1;
  const int64_t dilated_height = (kernel->height - 1) * call.option("dilation_h_factor", 1) + 1;
  return (result[kWidth] - 1) * strides.width + dilated_width > data[kWidth] ||
         (result[kHeight] - 1) * strides.height + dilated_height > data[kHeight];
}

bool IsGrouped(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0), filter = call.input_dims(1);
  return in && filter && !in->empty() && !filter->empty() && in->back() > filter->back();
}

// Longer steps are taken apart, if each covers what no other does.
Found UnrolledStrides(const Call& call) {
  const std::optional<Dims> out = call.output_dims();
  if (!out) return std::nullopt;
  const std::array<int64_t, 4> result = Nhwc(*out);
  const Size strides = Strides(call);
  if ((strides.width <= 3 || result[kWidth] == 1) && (strides.height <= 3 || result[kHeight] == 1)) return std::nullopt;
  const bool dilated = call.option("dilation_w_factor", 1) != 1 || call.option("dilation_h_factor", 1) != 1;
  if (!dilated && !IsPadded(call)) {
    const bool behind_pad = call.context().Once(PadsTaken).padded[call.node()];
    if (!call.Is("CONV_2D") || (!IsGrouped(call) && !behind_pad)) return std::nullopt;
    return Complaint{absl::StrCat("strides ", Text(strides), IsGrouped(call) ? " in groups" : " behind a PAD"),
                     "strides up to 3", -1, Complaint::kStops};
  }
  return Complaint{absl::StrCat("strides ", Text(strides), dilated ? " with dilation" : " with padding"),
                   "strides up to 3, or longer ones without padding and dilation"};
}

Found ShortStrides(const Call& call) {
  const Size strides = Strides(call);
  if (strides.width <= 3 && strides.height <= 3) return std::nullopt;
  return Complaint{absl::StrCat("strides ", Text(strides)), "strides up to 3"};
}

Found PoolKernel(const Call& call) {
  const std::optional<Size> kernel = Kernel(call);
  constexpr int64_t kMostHeight = 256, kMostPadded = 8;
  if (call.Is("AVERAGE_POOL_2D") && IsPadded(call)) {
    if (kernel->width <= kMostPadded && kernel->height <= kMostPadded) return std::nullopt;
    return Complaint{absl::StrCat("a padded kernel of ", Text(*kernel)), "kernels up to 8 x 8 with padding"};
  }
  if (kernel->height <= kMostHeight && kernel->width * kernel->height <= kMost16Bits) return std::nullopt;
  return Complaint{absl::StrCat("a kernel of ", Text(*kernel)), "kernels up to 256 high and of 65536 elements"};
}

Found TransposeConvolution(const Call& call) {
  const std::optional<Dims> in = call.input_dims(2), out = call.output_dims();
  const std::optional<Size> kernel = Kernel(call);
  if (!in || !out || !kernel) return std::nullopt;
  const std::array<int64_t, 4> data = Nhwc(*in), result = Nhwc(*out);
  const Size strides = Strides(call);
  const auto grown = [&](int64_t size, int64_t stride, int64_t length) {
    return size * stride + (IsSame(call) ? 0 : std::max<int64_t>(length - stride, 0));
  };
  const Size expected = {grown(data[kWidth], strides.width, kernel->width),
                         grown(data[kHeight], strides.height, kernel->height)};
  const Size given = {result[kWidth], result[kHeight]};
  if (given.width != expected.width || given.height != expected.height) {
    return Complaint{absl::StrCat("an output of ", Text(given)), absl::StrCat("one of ", Text(expected))};
  }
  if (!call.before_u85()) return std::nullopt;
  const bool flat = strides.width == 2 && strides.height == 1 && data[kHeight] == 1 && kernel->height == 1;
  const bool thin = strides.width == 1 && strides.height == 2 && data[kWidth] == 1 && kernel->width == 1;
  if (strides.width == strides.height && strides.width >= 1 && strides.width <= 2) return std::nullopt;
  if (flat || thin) return std::nullopt;
  return Complaint{absl::StrCat("strides ", Text(strides)), "strides 1 x 1 or 2 x 2, or 2 along the only axis"};
}

Found ResizeBefore85(const Call& call, Size in, Size out, bool aligned, bool half_pixels) {
  if (in.width == 1 && in.height == 1) return std::nullopt;
  const std::string what =
      absl::StrCat("a resize from ", Text(in), " to ", Text(out), aligned ? " with align_corners" : "",
                   half_pixels ? " with half_pixel_centers" : "");
  const std::string allowed = half_pixels ? "a factor of 2" : "one factor for both axes: 2, 4 or 8";
  if (in.width == out.width && in.height == out.height) {
    if (half_pixels) return Complaint{what, allowed};
    return std::nullopt;
  }
  const auto factor = [&](int64_t from, int64_t to) -> double {
    if (!aligned) return static_cast<double>(to) / static_cast<double>(from);
    return to == 1 ? 1 : static_cast<double>(to - 1) / static_cast<double>(from - 1);
  };
  const double across = factor(in.width, out.width), down = factor(in.height, out.height);
  const bool lone = (out.height == 1 && down == 1) || (out.width == 1 && across == 1);
  if (across != down && (!lone || half_pixels)) return Complaint{what, allowed};
  const double larger = std::max(across, down);
  if (larger != 2 && (half_pixels || (larger != 4 && larger != 8))) return Complaint{what, allowed};
  const std::optional<Dims> data = call.input_dims(0);
  if (data->front() == 1) return std::nullopt;
  return Complaint{absl::StrCat("a batch of ", data->front()), "a batch of 1", 0, Complaint::kStops};
}

Found ResizeOf85(const Call& call, Size in, Size out, bool aligned, bool half_pixels) {
  if (aligned && half_pixels) return Complaint{"align_corners and half_pixel_centers", "one of them"};
  const auto ratio = [&](int64_t from, int64_t to) {
    const bool inner = aligned && from > 1;
    return std::make_pair(inner ? to - 1 : to, inner ? from - 1 : from);
  };
  const int64_t most = half_pixels ? 1024 : 2048;
  for (const auto& [to, from] : {ratio(in.width, out.width), ratio(in.height, out.height)}) {
    if (to == 0 || from == 0 || to / from > most) {
      return Complaint{absl::StrCat("a factor of ", to, " / ", from), absl::StrCat("at most ", most)};
    }
    const bool point = in.width == 1 && in.height == 1;
    if (call.Is("RESIZE_BILINEAR") && !point && (to % from != 0 || !IsPowerOfTwo(to / from))) {
      return Complaint{absl::StrCat("a factor of ", to, " / ", from), "a power of two"};
    }
  }
  return std::nullopt;
}

}  // namespace

Found Convolution(const Call& call) {
  Found found = FirstOf(call, {WeightSum, BiasShape});
  if (!found && call.Is("TRANSPOSE_CONV")) found = TransposeConvolution(call);
  if (!found && call.before_u85() && call.Is("CONV_2D")) found = UnrolledStrides(call);
  if (!found && call.before_u85() && call.Is("DEPTHWISE_CONV_2D")) found = ShortStrides(call);
  return found ? found : FirstOf(call, {WideBias, ComputedWeights});
}

Found Pool(const Call& call) {
  if (Found found = PoolKernel(call); found) return found;
  return call.before_u85() ? UnrolledStrides(call) : std::nullopt;
}

Found Resize(const Call& call) {
  const std::optional<Dims> from = call.input_dims(0), to = call.output_dims();
  if (!from || !to || from->size() != 4 || to->size() != 4 || Product(*from) == 0) return std::nullopt;
  const Size in = {(*from)[kWidth], (*from)[kHeight]}, out = {(*to)[kWidth], (*to)[kHeight]};
  const bool aligned = call.option("align_corners", 0) != 0;
  const bool stated = call.option("half_pixel_centers", 0) != 0;
  const bool nearest = call.Is("RESIZE_NEAREST_NEIGHBOR");
  if (call.before_u85()) return ResizeBefore85(call, in, out, aligned, stated && !nearest);
  return ResizeOf85(call, in, out, aligned, stated || (nearest && !aligned));
}

}  // namespace quantgate::ethos_u
