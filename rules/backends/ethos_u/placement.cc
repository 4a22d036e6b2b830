#include "rules/backends/ethos_u/placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/numeric/bits.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "rules/graph/elements.h"

namespace quantgate::ethos_u {
namespace {

using Found = std::optional<Complaint>;

constexpr int64_t kMost16Bits = int64_t{1} << 16;

// Batch, height, width and channels: axes in front of shorter shapes are 1. Of longer ones the last four.
std::array<int64_t, 4> Nhwc(Dims dims) {
  std::array<int64_t, 4> nhwc = {1, 1, 1, 1};
  for (size_t i = 0; i < std::min<size_t>(dims.size(), 4); ++i) nhwc[3 - i] = dims[dims.size() - 1 - i];
  return nhwc;
}
constexpr int kHeight = 1, kWidth = 2, kDepth = 3;

bool IsPowerOfTwo(int64_t number) { return number > 0 && absl::has_single_bit(static_cast<uint64_t>(number)); }

struct Size {
  int64_t width = 1;
  int64_t height = 1;
};

Size Strides(const Call& call) { return {call.option("stride_w", 1), call.option("stride_h", 1)}; }

// As shapes are written.
std::string Text(Size size) { return absl::StrCat(size.height, " x ", size.width); }

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

// A PAD of zeros along height and width that nothing else reads becomes the convolution's own padding.
bool IsPaddedInFront(const Call& call) {
  const Graph& graph = call.graph();
  const int32_t data = call.input(0)->value;
  const int32_t pad = data < 0 || graph.uses(data).size() != 1 ? -1 : graph.producer(data);
  if (pad < 0 || graph.num_inputs(pad) < 2) return false;
  const absl::string_view op = graph.op_type(pad);
  const int32_t amounts = graph.input(pad, 1);
  if ((op != "PAD" && op != "PADV2") || amounts < 0 || !graph.is_constant(amounts)) return false;
  const IntegerView numbers = IntegersOf(graph.value(amounts));
  const std::optional<Size> kernel = Kernel(call);
  if (numbers.size() != 8 || !kernel) return false;
  const bool elsewhere = numbers[0] != 0 || numbers[1] != 0 || numbers[6] != 0 || numbers[7] != 0;
  const bool covered =
      std::max(numbers[2], numbers[3]) < kernel->height && std::max(numbers[4], numbers[5]) < kernel->width;
  const bool any = numbers[2] > 0 || numbers[3] > 0 || numbers[4] > 0 || numbers[5] > 0;
  if (elsewhere || !covered || !any) return false;
  if (op == "PAD") return true;
  const int32_t fill = graph.num_inputs(pad) > 2 ? graph.input(pad, 2) : -1;
  const QuantParams* params = call.input(0)->qparams;
  const IntegerView filled = fill < 0 ? IntegerView() : IntegersOf(graph.value(fill));
  return params != nullptr && filled.size() == 1 && static_cast<double>(filled[0]) == params->zero_point(0);
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
    if (!call.Is("CONV_2D") || (!IsGrouped(call) && !IsPaddedInFront(call))) return std::nullopt;
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

// The largest sum of a channel's weights is beyond what an accumulator holds. Sums are not known where the weights are
// not here: then what the smallest and largest weight allow.
Found WeightSum(const Call& call) {
  const BackendTensor* weights = call.input(1);
  const std::optional<Dims> dims = call.input_dims(1);
  const BackendTensor* data = call.input(call.Is("TRANSPOSE_CONV") ? 2 : 0);
  if (weights == nullptr || !weights->is_static || !dims || dims->empty() || data == nullptr) return std::nullopt;
  const bool depthwise = call.Is("DEPTHWISE_CONV_2D");
  const int64_t channels = depthwise ? dims->back() : dims->front();
  if (channels <= 0) return std::nullopt;
  const int64_t each = Product(*dims) / channels;
  const bool wide = !call.before_u85() && data->bits != 8;
  const int64_t most = 127 * (wide ? int64_t{1} << 24 : kMost16Bits);
  if (each < most / 255) return std::nullopt;
  const QuantParams* params = weights->qparams;
  const auto zero_point = [&](int64_t channel) -> double {
    if (params == nullptr || params->zero_points.empty()) return 0;
    const bool of_each = params->zero_points.size() == static_cast<size_t>(channels);
    return params->zero_points[of_each ? channel : 0];
  };
  const std::string allowed = absl::StrCat("at most ", most);
  const v1::Value& value = call.graph().value(weights->value);
  const IntegerView numbers = IntegersOf(value);
  if (numbers.size() != static_cast<size_t>(Product(*dims))) {
    if (!value.constant().has_statistics())
      return Complaint{"weights whose sums are not known", allowed, 1, Complaint::kPerhaps};
    const v1::Statistics& statistics = value.constant().statistics();
    const double low = statistics.min() - zero_point(0), high = statistics.max() - zero_point(0);
    const double largest = std::max(std::fabs(low), std::fabs(high));
    const double smallest = low > 0 || high < 0 ? std::min(std::fabs(low), std::fabs(high)) : 0;
    if (largest * static_cast<double>(each) <= static_cast<double>(most)) return std::nullopt;
    const double least = smallest * static_cast<double>(each);
    if (least > static_cast<double>(most)) {
      return Complaint{absl::StrFormat("weights of a channel that add up to %.10g", least), allowed, 1};
    }
    return Complaint{"weights whose sums are not known", allowed, 1, Complaint::kPerhaps};
  }
  for (int64_t channel = 0; channel < channels; ++channel) {
    double sum = 0;
    for (int64_t i = 0; i < each; ++i) {
      const int64_t at = depthwise ? i * channels + channel : channel * each + i;
      sum += std::fabs(static_cast<double>(numbers[at]) - zero_point(channel));
    }
    if (sum <= static_cast<double>(most)) continue;
    return Complaint{absl::StrFormat("weights of channel %d that add up to %.10g", channel, sum), allowed, 1};
  }
  return std::nullopt;
}

Found BiasShape(const Call& call) {
  const size_t at = call.Is("TRANSPOSE_CONV") ? 3 : 2;
  const std::optional<Dims> bias = call.input_dims(at);
  if (!bias || bias->empty() || Product(*bias) <= bias->back()) return std::nullopt;
  return Complaint{absl::StrCat("a bias of ", ShapeText(*bias)), "its numbers along the last axis",
                   static_cast<int>(at)};
}

// Sums of bytes are of 32 bits on Ethos-U85.
Found WideBias(const Call& call) {
  const bool transposed = call.Is("TRANSPOSE_CONV");
  const BackendTensor *bias = call.input(transposed ? 3 : 2), *data = call.input(transposed ? 2 : 0);
  if (call.before_u85() || bias == nullptr || data == nullptr || data->bits != 8) return std::nullopt;
  if (bias->type.type != v1::DATA_TYPE_INT64) return std::nullopt;
  return Complaint{"a bias of 64 bits beside 8-bit data", "one of 32 bits", transposed ? 3 : 2, Complaint::kStops};
}

Found ComputedWeights(const Call& call) {
  const BackendTensor* weights = call.input(1);
  if (weights == nullptr || weights->is_static || (!call.before_u85() && !call.Is("TRANSPOSE_CONV")))
    return std::nullopt;
  return Complaint{"weights that are computed", "constants", 1, Complaint::kStops};
}

Found FullyConnectedWeights(const Call& call) {
  const std::optional<Dims> weights = call.input_dims(1);
  if (!weights) return std::nullopt;
  if (weights->size() >= 2 && Product(*weights) == weights->front() * weights->back()) return std::nullopt;
  // The sums of weights are looked at before their shape is, as if it had four axes.
  const Complaint::Kind kind = weights->size() == 4 ? Complaint::kKnown : Complaint::kStops;
  return Complaint{absl::StrCat("weights of ", ShapeText(*weights)), "outputs x inputs, other axes 1", 1, kind};
}

Found MatMul(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0), out = call.output_dims();
  const BackendTensor* data = call.input(0);
  if (call.Is("FULLY_CONNECTED") && data != nullptr && data->type.type != v1::DATA_TYPE_INT8) {
    return Complaint{"weights that are computed, and an input of another type than int8", "int8", 0};
  }
  if (!in || !out || in->size() < 2 || out->empty()) return std::nullopt;
  const bool turned = call.option("adj_x", 0) != 0;
  const int64_t reduced = (*in)[in->size() - (turned ? 2 : 1)];
  if (reduced > kMost16Bits) return Complaint{absl::StrCat("sums of ", reduced, " products"), "at most 65536"};
  if (out->back() > kMost16Bits)
    return Complaint{absl::StrCat("an output of ", out->back(), " channels"), "at most 65536"};
  return std::nullopt;
}

Found Softmax(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  if (!in) return std::nullopt;
  const std::array<int64_t, 4> data = Nhwc(*in);
  const int64_t area = Product(Dims(&data[kHeight], 2));
  if (area > kMost16Bits) return Complaint{absl::StrCat("height and width of ", area, " elements"), "at most 65536"};
  if (data[kDepth] <= kMost16Bits) return std::nullopt;
  return Complaint{absl::StrCat("a last axis of ", data[kDepth]), "at most 65536", 0, Complaint::kStops};
}

Found OneShape(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0), out = call.output_dims();
  if (!in || !out || *in == *out) return std::nullopt;
  return Complaint{absl::StrCat(ShapeText(*in), " in and ", ShapeText(*out), " out"), "one shape"};
}

// Parameters that are looked at when the operator is written, and have to be there.
Found Computed(const Call& call, size_t position) {
  const BackendTensor* parameter = call.input(position);
  if (parameter == nullptr || parameter->is_static) return std::nullopt;
  return Complaint{"a parameter that is computed", "a constant", static_cast<int>(position), Complaint::kStops};
}

Found Mean(const Call& call) {
  if (Found found = Computed(call, 1); found) return found;
  const std::optional<Dims> in = call.input_dims(0);
  const std::optional<IntegerView> axes = call.integers(1);
  if (!in || !axes) return std::nullopt;
  const std::array<int64_t, 4> data = Nhwc(*in);
  if (data[0] > 1) return Complaint{absl::StrCat("a batch of ", data[0]), "a batch of 1"};
  std::array<bool, 4> reduced = {};
  const int rank = static_cast<int>(in->size());
  bool outer = false;
  for (const int64_t stated : *axes) {
    if (stated < -rank || stated >= rank) continue;
    const int64_t axis = stated < 0 ? stated + rank : stated;
    if (axis + 4 >= rank) {
      reduced[axis + 4 - rank] = true;
    } else {
      outer = outer || (*in)[axis] > 1;
    }
  }
  // Of more than four axes it looks at the second to the fourth.
  const auto is_one = [](int64_t size) { return size == 1; };
  const bool thin =
      rank > 4 ? absl::c_any_of(in->subspan(1, 3), is_one) : std::any_of(data.begin() + kHeight, data.end(), is_one);
  if (reduced[kDepth] && !thin) {
    return Complaint{absl::StrCat("a mean over channels of ", ShapeText(*in)), "a height, width or depth of 1"};
  }
  constexpr int64_t kMostSize = 64 * 64;
  int64_t count = 1;
  for (int i = 0; i < 4; ++i) {
    if (!reduced[i]) continue;
    if (data[i] > kMostSize) return Complaint{absl::StrCat("a mean of ", data[i], " along an axis"), "at most 4096"};
    count *= data[i];
  }
  const v1::DataType type = call.input(0)->type.type;
  // Sums stay within 32 bits.
  const int64_t most = int64_t{1} << (type == v1::DATA_TYPE_INT8 ? 24 : type == v1::DATA_TYPE_UINT8 ? 23 : 16);
  if (count > most) return Complaint{absl::StrCat("a mean of ", count, " elements"), absl::StrCat("at most ", most)};
  if (!outer) return std::nullopt;
  return Complaint{absl::StrCat("a mean over the outer axes of ", ShapeText(*in)), "the last four axes", 0,
                   Complaint::kStops};
}

// What a slice leaves of every axis.
struct Slice {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

std::optional<Slice> SliceOf(const Call& call, Dims in) {
  const std::optional<IntegerView> begins = call.integers(1), ends = call.integers(2), strides = call.integers(3);
  if (!begins || !ends || !strides) return std::nullopt;
  const size_t entries = std::min({begins->size(), ends->size(), strides->size()});
  const auto is = [&](absl::string_view mask, size_t entry) {
    return entry < 32 && (call.option(mask, 0) >> entry & 1) != 0;
  };
  Slice slice = {std::vector<int64_t>(in.begin(), in.end()), std::vector<int64_t>(in.size(), 1)};
  size_t axis = 0;
  for (size_t entry = 0; entry < entries; ++entry) {
    if (is("ellipsis_mask", entry)) {
      const size_t behind = entries - entry - 1;
      if (behind > in.size()) return std::nullopt;
      axis = in.size() - behind;
      continue;
    }
    if (axis >= in.size() || in[axis] < 1) return std::nullopt;
    const bool shrinks = is("shrink_axis_mask", entry);
    int64_t begin = 0;
    if (!is("begin_mask", entry) || shrinks) {
      begin = std::clamp<int64_t>((*begins)[entry] + ((*begins)[entry] < 0 ? in[axis] : 0), 0, in[axis] - 1);
      slice.sizes[axis] = shrinks ? 1 : in[axis] - begin;
    }
    if (!is("end_mask", entry) && !shrinks) {
      const int64_t end = std::clamp<int64_t>((*ends)[entry] + ((*ends)[entry] < 0 ? in[axis] : 0), 1, in[axis]);
      slice.sizes[axis] = end - begin;
    }
    slice.strides[axis] = (*strides)[entry];
    ++axis;
  }
  return slice;
}

Found StridedSlice(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  const std::optional<Slice> slice = in ? SliceOf(call, *in) : std::nullopt;
  if (!slice) return std::nullopt;
  const size_t rank = slice->strides.size();
  for (size_t i = 0; i < rank; ++i) {
    const bool across = i + 2 == rank || i + 3 == rank;
    if (slice->strides[i] < 0 || (slice->strides[i] != 1 && !across)) {
      return Complaint{absl::StrCat("a step of ", slice->strides[i], " along axis ", i),
                       "steps of 1, and longer ones along height and width"};
    }
  }
  if (absl::c_all_of(slice->sizes, [](int64_t size) { return size <= 0; })) {
    return Complaint{"nothing left of any axis", "a slice that is not empty"};
  }
  for (size_t i = 0; i < rank; ++i) {
    const bool empty = call.before_u85() ? slice->sizes[i] <= 0 : slice->sizes[i] == 0;
    if (!empty && slice->strides[i] != 0) continue;
    return Complaint{absl::StrCat(empty ? "nothing left of" : "a step of 0 along", " axis ", i),
                     "a slice that is not empty", -1, Complaint::kStops};
  }
  return std::nullopt;
}

Found ArgMax(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  const std::optional<IntegerView> axis = call.integers(1);
  if (!in || in->empty()) return std::nullopt;
  if (in->back() > 127) return Complaint{absl::StrCat("a depth of ", in->back()), "at most 127"};
  const int64_t last = static_cast<int64_t>(in->size()) - 1;
  if (axis && !axis->empty() && (*axis)[0] != last && (*axis)[0] != -1) {
    return Complaint{absl::StrCat("axis ", (*axis)[0]), "the last axis"};
  }
  if (in->size() <= 3 || Product(in->subspan(0, in->size() - 3)) == 1) return std::nullopt;
  return Complaint{absl::StrCat("an input of ", ShapeText(*in)), "a batch of 1", 0, Complaint::kStops};
}

Found ResizeBefore85(const Call& call, Size in, Size out, bool aligned, bool half_pixels) {
  if (in.width == 1 && in.height == 1) return std::nullopt;
  const std::string what = absl::StrCat("a resize from ", Text(in), " to ", Text(out),
                                        aligned       ? " with align_corners"
                                        : half_pixels ? " with half_pixel_centers"
                                                      : "");
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

// The order of axes as it moves height, width and channels: those in front stay where they are. None: they do not.
std::optional<std::array<int, 3>> InnerOrder(const IntegerView& order) {
  const int rank = static_cast<int>(order.size());
  std::array<int, 3> inner = {0, 1, 2};
  for (int i = 0; i < rank; ++i) {
    const int from_end = i - rank + 3;
    const int source = static_cast<int>(order[i]) - rank + 3;
    if (from_end < 0) {
      if (order[i] != i) return std::nullopt;
    } else {
      if (source < 0) return std::nullopt;
      inner[from_end] = source;
    }
  }
  return inner;
}

Found TransposeBefore85(const Call& call, Dims in, const IntegerView& order) {
  const std::optional<std::array<int, 3>> inner = InnerOrder(order);
  const bool stays = inner == std::array<int, 3>{0, 1, 2};
  const std::string what = absl::StrCat("(", absl::StrJoin(order, ", "), ") of ", ShapeText(in));
  const std::array<int64_t, 4> data = Nhwc(in);
  if (call.input(0)->bits == 32) {
    if (in.size() > 4) return Complaint{what, "at most 4 axes of 32 bits"};
    const int64_t h = data[kHeight], w = data[kWidth], c = data[kDepth];
    if (stays && c <= kMost16Bits / 2) return std::nullopt;
    if (inner == std::array<int, 3>{1, 0, 2} && data[0] == 1 && h <= kMost16Bits && w <= kMost16Bits &&
        c <= kMost16Bits / 4) {
      return std::nullopt;
    }
    if (inner == std::array<int, 3>{0, 2, 1} && data[0] * h <= kMost16Bits && w <= kMost16Bits && c <= kMost16Bits) {
      return std::nullopt;
    }
    return Complaint{what, "of 32 bits height and width, or width and channels, exchanged"};
  }
  if (stays) return std::nullopt;
  const bool flat = in.size() <= 3 || Product(in.subspan(0, in.size() - 3)) == 1;
  if (flat && inner) {
    if (std::max({data[kHeight], data[kWidth], data[kDepth]}) <= kMost16Bits) return std::nullopt;
    return Complaint{what, "sizes up to 65536"};
  }
  const int64_t all = absl::c_linear_search(in, 0) ? 0 : Product(in);
  for (size_t i = 0; i < in.size() && all > 0; ++i) {
    for (size_t j = i + 1; j < in.size(); ++j) {
      if (all / in[i] / in[j] > kMost16Bits) return Complaint{what, "65536 elements beside any two axes"};
    }
  }
  return std::nullopt;
}

Found Transpose(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  const std::optional<IntegerView> order = call.integers(1);
  if (order && order->size() > 8) return Complaint{absl::StrCat(order->size(), " axes"), "at most 8"};
  if (!in || !order || order->size() != in->size() || !call.before_u85()) return std::nullopt;
  const bool valid =
      absl::c_all_of(*order, [&](int64_t axis) { return axis >= 0 && axis < static_cast<int64_t>(in->size()); });
  return valid ? TransposeBefore85(call, *in, *order) : std::nullopt;
}

Found ScatterNd(const Call& call) {
  const std::optional<Dims> places = call.input_dims(0);
  if (places && !places->empty() && places->back() != 1) {
    return Complaint{absl::StrCat("indices of ", places->back(), " numbers"), "indices of one number", 0};
  }
  const std::optional<IntegerView> indices = call.integers(0);
  constexpr size_t kMostLookedAt = 1 << 16;
  if (!indices || indices->size() > kMostLookedAt) {
    return Complaint{"indices that are not listed", "distinct indices", 0, Complaint::kPerhaps};
  }
  const absl::flat_hash_set<int64_t> distinct(indices->begin(), indices->end());
  if (distinct.size() == indices->size()) return std::nullopt;
  return Complaint{"an index that is there twice", "distinct indices", 0};
}

Found Gather(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  if (!in) return std::nullopt;
  const int64_t stated = call.option("axis", 0), batches = call.option("batch_dims", 0);
  const int64_t axis = stated < 0 ? stated + static_cast<int64_t>(in->size()) : stated;
  if (axis == batches) return std::nullopt;
  return Complaint{absl::StrCat("axis ", axis, " with batch_dims ", batches), "axis = batch_dims"};
}

Found Splits(const Call& call) {
  const int64_t stated = call.option("num_splits", 0);
  if (stated == static_cast<int64_t>(call.outputs())) return std::nullopt;
  return Complaint{absl::StrCat("num_splits ", stated), absl::StrCat(call.outputs(), ", as many as there are outputs")};
}

// An activation is an operator of its own behind this one, and takes it along to the CPU.
Found FusedActivation(const Call& call) {
  const BackendTensor* out = call.output();
  if (call.option("fused_activation_function", 0) == 0 || out == nullptr || out->bits < 32) return std::nullopt;
  if (!call.before_u85() && !out->type.quantized) return std::nullopt;
  return Complaint{absl::StrCat("a fused activation of ", out->bits, " bits"), "one of 8 or 16 bits", -1,
                   call.before_u85() ? Complaint::kKnown : Complaint::kStops};
}

Found Reverse(const Call& call) {
  const std::optional<IntegerView> axes = call.integers(1);
  if (!axes) return std::nullopt;
  return Complaint{absl::StrCat("axes ", absl::StrJoin(*axes, ", ")), "no axes"};
}

// Positions of an LSTM's arguments, as LiteRT numbers them.
Found Lstm(const Call& call) {
  for (size_t gate = 1; gate <= 8; ++gate) {
    if (call.input(gate) == nullptr) return Complaint{absl::StrCat("no input ", gate), "weights of every gate"};
  }
  struct Part {
    size_t first, last;
    const char* name;
  };
  for (const Part& part :
       {Part{9, 11, "peephole weights"}, Part{16, 17, "a projection"}, Part{20, 23, "normalized gates"}}) {
    for (size_t position = part.first; position <= part.last; ++position) {
      if (call.input(position) != nullptr) return Complaint{part.name, "none", static_cast<int>(position)};
    }
  }
  // They are not among its arguments.
  return Complaint{"intermediate tensors that are not in the graph", "five of them, with shapes", -1,
                   Complaint::kPerhaps};
}

// Variables are kept between runs: Vela ends over a model of one access to them, and what it does to more was not
// asked.
Found Variable(const Call&) { return Complaint{"a variable", "what was not asked yet", -1, Complaint::kPerhaps}; }

bool IsReduction(const Call& call) {
  return call.Is("ARG_MAX") || call.Is("MEAN") || call.Is("SUM") || absl::StartsWith(call.name(), "REDUCE_");
}

// Of a size that may change, but for the batch; or without axes, where it is no constant.
Found Unshaped(const Call& call) {
  for (size_t i = 0; i < call.inputs() + call.outputs(); ++i) {
    const bool of_output = i >= call.inputs();
    const BackendTensor* tensor = of_output ? call.output(i - call.inputs()) : call.input(i);
    if (tensor == nullptr || tensor->value < 0 || tensor->is_static) continue;
    const int place = of_output ? -1 : static_cast<int>(i);
    // Which axis to work along is judged where it has to be a constant.
    const bool parameter = i == 1 && !of_output && IsReduction(call);
    if (tensor->rank == 0 && !parameter)
      return Complaint{of_output ? "a scalar as output" : "a scalar", "tensors with axes", place};
    if (call.resizable(tensor)) return Complaint{"a size that may change", "only a batch of any size", place};
  }
  return std::nullopt;
}

Found FirstOf(const Call& call, std::initializer_list<Found (*)(const Call& call)> checks) {
  for (Found (*check)(const Call& call) : checks) {
    if (Found found = check(call); found) return found;
  }
  return std::nullopt;
}

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

Found FullyConnected(const Call& call) {
  if (Found found = FirstOf(call, {FullyConnectedWeights, WeightSum, BiasShape, WideBias}); found) return found;
  const BackendTensor* weights = call.input(1);
  const bool computed = weights != nullptr && !weights->is_static;
  return call.before_u85() && computed ? MatMul(call) : std::nullopt;
}

// Of operators that move data; others take more axes as fewer.
Found MovedRank(const Call& call) {
  constexpr int kMostAxes = 8;
  for (size_t i = 0; i < call.inputs(); ++i) {
    if (call.input(i) == nullptr || call.input(i)->rank <= kMostAxes) continue;
    return Complaint{absl::StrCat(call.input(i)->rank, " axes"), "at most 8", static_cast<int>(i), Complaint::kStops};
  }
  return std::nullopt;
}

Found ArgMaxOf(const Call& call) {
  if (call.before_u85()) {
    if (Found found = ArgMax(call); found) return found;
  }
  return Computed(call, 1);
}

Found ReverseOf(const Call& call) {
  if (Found found = Computed(call, 1); found) return found;
  return call.before_u85() ? Reverse(call) : std::nullopt;
}

Found Reduce(const Call& call) {
  if (Found found = Computed(call, 1); found) return found;
  const BackendTensor *in = call.input(0), *out = call.output();
  const bool extreme = call.Is("REDUCE_MAX") || call.Is("REDUCE_MIN");
  if (!call.before_u85() || !extreme || in == nullptr || out == nullptr || in->type.type == out->type.type) {
    return std::nullopt;
  }
  return Complaint{"an output of another type than the input", "one type", -1, Complaint::kStops};
}

Found Tile(const Call& call) {
  return FirstOf(call, {MovedRank, [](const Call& c) { return Computed(c, 1); }});
}

// Of two types, which the NPU has no operator for.
Found OneInputType(const Call& call) {
  const BackendTensor *a = call.input(0), *b = call.input(1);
  if (a == nullptr || b == nullptr || a->type.type == b->type.type) return std::nullopt;
  // Booleans are signed bytes there.
  const auto is_truth = [](const BackendTensor* tensor) {
    return tensor->type.type == v1::DATA_TYPE_BOOL || tensor->type.type == v1::DATA_TYPE_INT8;
  };
  if (absl::StartsWith(call.name(), "LOGICAL_") && is_truth(a) && is_truth(b)) return std::nullopt;
  return Complaint{"inputs of two types", "one type", -1, Complaint::kStops};
}

Found NegativePads(const Call& call) {
  const std::optional<IntegerView> amounts = call.integers(1);
  if (!call.before_u85() || !amounts || absl::c_all_of(*amounts, [](int64_t amount) { return amount >= 0; })) {
    return std::nullopt;
  }
  return Complaint{"padding that cuts", "no negative amounts", 1, Complaint::kStops};
}

struct Check {
  absl::string_view op;
  Found (*check)(const Call& call);
  bool only_before_u85 = false;
};

constexpr Check kChecks[] = {
    {"ARG_MAX", ArgMaxOf},
    {"ASSIGN_VARIABLE", Variable},
    {"AVERAGE_POOL_2D", Pool},
    {"BATCH_MATMUL", MatMul, true},
    {"CONCATENATION", MovedRank},
    {"CONV_2D", Convolution},
    {"DEPTHWISE_CONV_2D", Convolution},
    {"DIV", OneInputType},
    {"EQUAL", OneInputType},
    {"FULLY_CONNECTED", FullyConnected},
    {"GATHER", Gather},
    {"GREATER", OneInputType},
    {"GREATER_EQUAL", OneInputType},
    {"LESS", OneInputType},
    {"LESS_EQUAL", OneInputType},
    {"LOG", OneShape},
    {"LOGICAL_AND", OneInputType},
    {"LOGICAL_OR", OneInputType},
    {"MAX_POOL_2D", Pool},
    {"MEAN", Mean},
    {"NOT_EQUAL", OneInputType},
    {"PACK", MovedRank},
    {"PAD", NegativePads},
    {"PADV2", NegativePads},
    {"PRELU", OneInputType},
    {"READ_VARIABLE", Variable},
    {"REDUCE_ALL", Reduce},
    {"REDUCE_ANY", Reduce},
    {"REDUCE_MAX", Reduce},
    {"REDUCE_MIN", Reduce},
    {"RESIZE_BILINEAR", Resize},
    {"RESIZE_NEAREST_NEIGHBOR", Resize},
    {"REVERSE_V2", ReverseOf},
    {"SCATTER_ND", ScatterNd},
    {"SOFTMAX", Softmax},
    {"SPLIT", Splits},
    {"SPLIT_V", Splits},
    {"STRIDED_SLICE", StridedSlice},
    {"SUM", Reduce},
    {"TILE", Tile},
    {"TRANSPOSE", Transpose},
    {"TRANSPOSE_CONV", Convolution},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", Lstm},
};

}  // namespace

std::optional<Complaint> NotPlaced(const Call& call) {
  if (Found found = call.Is("READ_VARIABLE") || call.Is("ASSIGN_VARIABLE") ? std::nullopt : Unshaped(call); found) {
    return found;
  }
  if (Found found = FusedActivation(call); found) return found;
  for (const Check& check : kChecks) {
    if (!call.Is(check.op) || (check.only_before_u85 && !call.before_u85())) continue;
    return check.check(call);
  }
  return std::nullopt;
}

}  // namespace quantgate::ethos_u
