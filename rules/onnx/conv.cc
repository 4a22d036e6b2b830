#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// What convolutions and pools do along the spatial dimensions.
struct Window {
  absl::Span<const int64_t> kernel;  // as in the attribute
  absl::Span<const int64_t> strides;
  absl::Span<const int64_t> dilations;
  absl::Span<const int64_t> pads;
  absl::string_view auto_pad;
  bool ceil = false;
  bool valid = true;

  int64_t stride(int i) const { return strides.empty() ? 1 : strides[i]; }
  int64_t dilation(int i) const { return dilations.empty() ? 1 : dilations[i]; }
  bool automatic() const { return !auto_pad.empty() && auto_pad != "NOTSET"; }
  bool same() const { return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER"; }
};

// An attribute with `count` numbers (any, when that is negative), none below `least`.
absl::Span<const int64_t> List(NodeShapes& node, absl::string_view name, int count, int64_t least, bool& valid) {
  const absl::Span<const int64_t> list = node.integers(name);
  if (list.empty()) return list;
  if (count >= 0 && list.size() != static_cast<size_t>(count)) {
    node.BadParameter(absl::StrCat(name, " with ", list.size(), " numbers"), absl::StrCat(count));
    valid = false;
  }
  if (*std::min_element(list.begin(), list.end()) < least) {
    node.BadParameter(absl::StrCat(name, " ", ListText(list), " with ", *std::min_element(list.begin(), list.end())),
                      absl::StrCat("numbers of at least ", least));
    valid = false;
  }
  return list;
}

// `spatial`: number of dimensions; negative: not known.
Window ReadWindow(NodeShapes& node, int spatial) {
  Window window;
  window.kernel = List(node, "kernel_shape", spatial, 1, window.valid);
  if (spatial < 0 && !window.kernel.empty()) spatial = static_cast<int>(window.kernel.size());
  window.strides = List(node, "strides", spatial, 1, window.valid);
  window.dilations = List(node, "dilations", spatial, 1, window.valid);
  window.pads = List(node, "pads", spatial < 0 ? spatial : 2 * spatial, 0, window.valid);
  if (!window.pads.empty() && *std::max_element(window.pads.begin(), window.pads.end()) > kMaxSize) {
    node.BadParameter(absl::StrCat("pads ", ListText(window.pads)), "sizes that can be counted").when_run = true;
    window.valid = false;
  }
  window.auto_pad = node.text("auto_pad");
  window.ceil = node.integer("ceil_mode", 0) != 0;
  if (window.automatic() && !window.same() && window.auto_pad != "VALID") {
    node.BadParameter(absl::StrCat("auto_pad '", window.auto_pad, "'"), "NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    window.valid = false;
  }
  return window;
}

// How far the window can move along spatial dimension `i` of `spatial`, negative where it does not fit; none: not
// known.
absl::optional<int64_t> RoomFor(const Window& window, int i, int spatial, int64_t size, int64_t kernel) {
  constexpr int64_t kMost = int64_t{1} << 31;  // beyond that nothing fits
  const bool padded = !window.automatic() && !window.pads.empty();
  const int64_t begin = padded ? window.pads[i] : 0;
  const int64_t end = padded ? window.pads[i + spatial] : 0;
  if (kernel < 1) return absl::nullopt;
  return size + begin + end - ((std::min(kernel, kMost) - 1) * std::min(window.dilation(i), kMost) + 1);
}

// Size along spatial dimension `i` of `spatial`; kAnySize: not known; none: the window does not fit.
absl::optional<int64_t> SizeAfter(const Window& window, int i, int spatial, int64_t size, int64_t kernel) {
  const int64_t stride = window.stride(i);
  if (size < 0 || stride > kMaxSize) return kAnySize;
  // Runtimes differ about dilated windows here.
  if (window.same()) return window.dilation(i) == 1 ? (size + stride - 1) / stride : kAnySize;
  const absl::optional<int64_t> room = RoomFor(window, i, spatial, size, kernel);
  if (!room) return kAnySize;
  if (*room < 0) {
    if (window.ceil) return kAnySize;
    return absl::nullopt;
  }
  // Whether a last, partial window counts differs between operator set versions.
  if (window.ceil && *room % stride != 0) return kAnySize;
  return *room / stride + 1;
}

// Size that a transposed convolution makes of `size`, not positive where padding leaves nothing; none: not known.
absl::optional<int64_t> SizeBefore(const NodeShapes& node, const Window& window, int i, int spatial, int64_t size,
                                   const Shape& weight) {
  constexpr int64_t kMost = int64_t{1} << 20;
  const int64_t kernel = weight.dims[i + 2];
  const absl::Span<const int64_t> more = node.integers("output_padding");
  if (size < 0 || size > kMost || kernel < 1 || kernel > kMost || window.stride(i) > kMost ||
      window.dilation(i) > kMost || window.same() || node.has("output_shape") ||
      (!more.empty() && more.size() != static_cast<size_t>(spatial))) {
    return absl::nullopt;
  }
  const bool padded = !window.automatic() && !window.pads.empty();
  const int64_t cut = padded ? std::min(window.pads[i], kMost) + std::min(window.pads[i + spatial], kMost) : 0;
  const int64_t full = window.stride(i) * (size - 1) + (kernel - 1) * window.dilation(i) + 1;
  return full + (more.empty() ? 0 : std::min(std::max<int64_t>(more[i], 0), kMost)) - cut;
}

// Output of `channels` and of what the window makes of the input's spatial dimensions. `fits`: whether a window that is
// larger than the input is a contradiction; pools make something of it, which differs between runtimes, unless the size
// would be negative.
void Slide(NodeShapes& node, const Shape& input, int64_t channels, const Window& window,
           absl::Span<const int64_t> kernel, bool fits) {
  const int spatial = input.rank() - 2;
  Dims dims = {input.dims[0], channels};
  for (int i = 0; i < spatial; ++i) {
    const int64_t size = input.dims[i + 2];
    const absl::optional<int64_t> after = SizeAfter(window, i, spatial, size, kernel[i]);
    const bool nothing = !after && *RoomFor(window, i, spatial, size, kernel[i]) / window.stride(i) + 1 < 0;
    if (nothing || (!after && fits)) {
      node.Conflict(node.data(0), absl::StrCat("size ", size, " of spatial dimension ", i, ", with padding"),
                    absl::StrCat("at least the ", kernel[i], " of the kernel",
                                 window.dilation(i) == 1 ? "" : absl::StrCat(" with dilation ", window.dilation(i))))
          .when_run = true;
      return;
    }
    dims.push_back(after.value_or(kAnySize));
  }
  if (node.num_outputs() > 1) node.Give(1, dims);
  node.Give(0, std::move(dims));
}

// Kernel of a convolution: the weight's; a kernel_shape must repeat it.
void CheckKernel(NodeShapes& node, const Shape& weight, const Window& window) {
  if (window.kernel.empty()) return;
  const absl::Span<const int64_t> stored = weight.dims.subspan(2);
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] < 0 || stored[i] == window.kernel[i]) continue;
    node.BadParameter(absl::StrCat("kernel_shape ", ListText(window.kernel)),
                      absl::StrCat(ShapeText(stored), ", that of the weight ", ShapeText(weight.dims)))
        .when_run = true;
    return;
  }
}

void CheckBias(NodeShapes& node, int64_t channels) {
  const int argument = node.data(2);
  const Shape bias = node.at(argument);
  if (!bias.known || channels < 0) return;
  if (bias.rank() == 1 && (bias.dims[0] < 0 || bias.dims[0] == channels)) return;
  node.Conflict(argument, absl::StrCat("a bias of shape ", ShapeText(bias.dims)),
                absl::StrCat("[", channels, "], one for each output channel"))
      .when_run = true;
}

// What is added at the end of a transposed convolution lies within one step of its window.
void CheckOutputPadding(NodeShapes& node, const Window& window, int spatial) {
  const absl::Span<const int64_t> more = node.integers("output_padding");
  if (!window.valid || spatial < 0 || more.size() != static_cast<size_t>(spatial)) return;
  if (!more.empty() && *std::min_element(more.begin(), more.end()) < 0) {
    node.BadParameter(absl::StrCat("output_padding ", ListText(more)), "numbers of at least 0");
    return;
  }
  for (int i = 0; i < spatial; ++i) {
    const int64_t step = std::max(window.stride(i), window.dilation(i));
    if (more[i] < step) continue;
    node.BadParameter(absl::StrCat("output_padding ", ListText(more)),
                      absl::StrCat("less than ", step, ", the stride or dilation, of spatial dimension ", i))
        .when_run = true;
    return;
  }
}

// Sizes that a transposed convolution is asked for, and pads itself for.
void CheckOutputShape(NodeShapes& node) {
  const absl::Span<const int64_t> asked = node.integers("output_shape");
  if (asked.empty()) return;
  const int64_t least = *std::min_element(asked.begin(), asked.end());
  if (least > 0) return;
  node.BadParameter(absl::StrCat("output_shape ", ListText(asked)), "numbers of at least 1").when_run = least == 0;
}

void InferConvolution(NodeShapes& node, bool transposed) {
  if (node.integer("channels_last", 0) != 0) return;
  const Shape input = node.port(0);
  const Shape weight = node.port(1);
  const int rank = weight.known ? weight.rank() : input.known ? input.rank() : -1;
  const Window window = ReadWindow(node, rank >= 3 ? rank - 2 : -1);
  if (window.automatic() && node.has("pads")) {
    node.BadParameter(absl::StrCat("pads beside auto_pad ", window.auto_pad), "one of them");
  }
  if (transposed) {
    CheckOutputPadding(node, window, rank - 2);
    CheckOutputShape(node);
  }
  const int64_t group = node.integer("group", 1);
  if (group < 1) node.BadParameter(absl::StrCat("group ", group), "at least 1");
  if (rank >= 0 && rank < 3) {
    node.Conflict(node.data(weight.known ? 1 : 0),
                  absl::StrCat("shape ", ShapeText((weight.known ? weight : input).dims)), "rank 3 or more");
    return;
  }
  if (!weight.known || group < 1 || group > kMaxSize || !window.valid) return;
  CheckKernel(node, weight, window);
  if (input.known && input.rank() != rank) {
    node.Conflict(node.data(0), absl::StrCat("shape ", ShapeText(input.dims)),
                  absl::StrCat("rank ", rank, ", that of the weight ", ShapeText(weight.dims)));
    return;
  }
  // Weight: [out, in / group, ...], or [in, out / group, ...] when transposed.
  const int64_t first = weight.dims[0];
  const int64_t second = weight.dims[1];
  if (first >= 0 && first % group != 0) {
    node.BadParameter(absl::StrCat("group ", group),
                      absl::StrCat("a divisor of ", first, ", the first size of the weight ", ShapeText(weight.dims)))
        .when_run = true;
    return;
  }
  int64_t in = transposed ? first : second;
  int64_t out = transposed ? second : first;
  int64_t& per_group = transposed ? out : in;
  if (per_group > kMaxSize / group) return;
  if (per_group >= 0) per_group *= group;
  if (input.known && in >= 0 && input.dims[1] >= 0 && input.dims[1] != in) {
    node.Conflict(node.data(0), absl::StrCat(input.dims[1], " channels"),
                  absl::StrCat(in, ": the weight is ", ShapeText(weight.dims), " and group is ", group))
        .when_run = true;
    return;
  }
  CheckBias(node, out);
  if (!input.known) return;
  if (!transposed) {
    Slide(node, input, out, window, weight.dims.subspan(2), /*fits=*/true);
    return;
  }
  Dims dims = {input.dims[0], out};
  for (int i = 0; i < rank - 2; ++i) {
    const absl::optional<int64_t> made = SizeBefore(node, window, i, rank - 2, input.dims[i + 2], weight);
    if (made && *made <= 0 && input.dims[i + 2] > 0) {
      node.BadParameter(absl::StrCat("pads ", ListText(window.pads)),
                        absl::StrCat("fewer along spatial dimension ", i, ", where nothing is left of the output"))
          .when_run = true;
      return;
    }
    dims.push_back(made && *made > 0 ? *made : kAnySize);
  }
  node.Give(0, std::move(dims));
}

void InferPool(NodeShapes& node) {
  if (node.integer("channels_last", 0) != 0) return;
  const Shape input = node.port(0);
  if (input.known && input.rank() < 3) return;
  const Window window = ReadWindow(node, input.known ? input.rank() - 2 : -1);
  if (!window.valid || window.kernel.empty()) return;
  const size_t spatial = window.kernel.size();
  for (size_t i = 0; !window.automatic() && i < window.pads.size() && window.pads.size() == 2 * spatial; ++i) {
    if (window.pads[i] < window.kernel[i % spatial]) continue;
    node.BadParameter(absl::StrCat("pads ", ListText(window.pads)),
                      absl::StrCat("less than the kernel, ", ShapeText(window.kernel), ", so that no window is empty"));
    return;
  }
  if (!input.known) return;
  Slide(node, input, input.dims[1], window, window.kernel, /*fits=*/false);
}

}  // namespace

bool InferConv(NodeShapes& node) {
  switch (node.graph().op(node.node())) {
    case OpId::kConv:
      InferConvolution(node, /*transposed=*/false);
      return true;
    case OpId::kConvTranspose:
      InferConvolution(node, /*transposed=*/true);
      return true;
    case OpId::kMaxPool:
    case OpId::kAveragePool:
    case OpId::kLpPool:
      InferPool(node);
      return true;
    case OpId::kGlobalMaxPool:
    case OpId::kGlobalAveragePool:
    case OpId::kGlobalLpPool: {
      const Shape input = node.port(0);
      if (!input.known || node.integer("channels_last", 0) != 0) return true;
      if (input.rank() < 3) {
        node.Conflict(node.data(0), absl::StrCat("shape ", ShapeText(input.dims)), "rank 3 or more");
        return true;
      }
      Dims dims(input.rank(), 1);
      dims[0] = input.dims[0];
      dims[1] = input.dims[1];
      node.Give(0, std::move(dims));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace quantgate
