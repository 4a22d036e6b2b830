#include "rules/simulator/window.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace quantgate::simulator {
namespace {

// Windows, paddings and strides beyond this are nobody's model; below it no sum of a few overflows.
constexpr int64_t kMost = int64_t{1} << 40;

absl::StatusOr<int64_t> SpatialValue(absl::Span<const int64_t> values, size_t i, int64_t fallback, int64_t least,
                                     absl::string_view name) {
  if (values.empty()) return fallback;
  if (values.size() == 1) i = 0;
  if (i >= values.size()) return absl::InvalidArgumentError(absl::StrCat(name, " has ", values.size(), " values"));
  if (values[i] < least || values[i] > kMost) return absl::InvalidArgumentError(absl::StrCat(name, " is ", values[i]));
  return values[i];
}

}  // namespace

absl::StatusOr<std::vector<Window>> Windows(const Attributes& attributes, absl::Span<const int64_t> input,
                                            absl::Span<const int64_t> kernel) {
  std::vector<Window> windows(input.size());
  if (kernel.size() != input.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a kernel of rank ", kernel.size(), " over ", input.size(), " axes"));
  }
  const absl::Span<const int64_t> pads = attributes.Ints("pads");
  const absl::string_view automatic = attributes.Text("auto_pad", "NOTSET");
  const bool ceil = attributes.Int("ceil_mode", 0) != 0;
  const bool toward_zero = attributes.Int("toward_zero", 0) != 0;
  for (size_t i = 0; i < input.size(); ++i) {
    Window& w = windows[i];
    w.input = input[i];
    w.kernel = kernel[i];
    absl::StatusOr<int64_t> stride = SpatialValue(attributes.Ints("strides"), i, 1, 1, "strides");
    absl::StatusOr<int64_t> dilation = SpatialValue(attributes.Ints("dilations"), i, 1, 1, "dilations");
    absl::StatusOr<int64_t> begin = SpatialValue(pads, i, 0, 0, "pads");
    absl::StatusOr<int64_t> end = SpatialValue(pads, i + input.size(), 0, 0, "pads");
    for (const auto& value : {stride, dilation, begin, end}) {
      if (!value.ok()) return value.status();
    }
    if (w.kernel < 1 || w.kernel > kMost || w.input > kMost) {
      return absl::InvalidArgumentError(absl::StrCat("a kernel of size ", w.kernel, " over ", w.input));
    }
    w.stride = *stride;
    w.dilation = *dilation;
    if (w.kernel > 1 && w.dilation > kMost / w.kernel) {
      return absl::InvalidArgumentError(absl::StrCat("a dilation of ", w.dilation));
    }
    const int64_t extent = (w.kernel - 1) * w.dilation + 1;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      w.output = (w.input + w.stride - 1) / w.stride;
      const int64_t total = std::max<int64_t>(0, (w.output - 1) * w.stride + extent - w.input);
      w.pad_begin = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      w.pad_end = total - w.pad_begin;
      continue;
    }
    if (automatic != "VALID") {
      w.pad_begin = *begin;
      w.pad_end = *end;
    }
    const int64_t room = w.input + w.pad_begin + w.pad_end - extent;
    // A window over more than there is takes what is there, where quotients are rounded up or toward zero.
    if (room < 0 && (!(ceil || toward_zero) || room / w.stride < 0)) {
      const std::string what =
          absl::StrCat("a window of ", extent, " over ", w.input, " with padding ", w.pad_begin, " and ", w.pad_end);
      // ONNX Runtime then gives no elements.
      return toward_zero ? absl::UnimplementedError(what) : absl::InvalidArgumentError(what);
    }
    w.output = room / w.stride + 1;
    // The last window of ceil_mode begins inside the input or its padding before.
    if (ceil && room > 0 && room % w.stride != 0 && w.output * w.stride < w.input + w.pad_begin) ++w.output;
  }
  return windows;
}

Taps TapsAt(const Window& w, int64_t output) {
  const int64_t start = output * w.stride - w.pad_begin;
  // Elements in front of `end`, of those at start, start + dilation, ...
  const auto before = [&](int64_t end) {
    return std::clamp<int64_t>(end <= start ? 0 : (end - start - 1) / w.dilation + 1, 0, w.kernel);
  };
  Taps taps;
  taps.first = before(0);
  taps.last = std::max(taps.first, before(w.input));
  taps.padded = before(w.input + w.pad_end);
  return taps;
}

std::vector<Taps> AllTaps(const Window& window) {
  std::vector<Taps> all;
  all.reserve(static_cast<size_t>(window.output));
  for (int64_t o = 0; o < window.output; ++o) all.push_back(TapsAt(window, o));
  return all;
}

absl::Status CheckWork(absl::Span<const Window> windows, int64_t planes) {
  constexpr double kMostTaps = 4294967296.0;
  constexpr int64_t kMostOutputs = int64_t{1} << 23;
  double taps = static_cast<double>(planes);
  for (const Window& w : windows) {
    if (w.output > kMostOutputs) {
      return absl::ResourceExhaustedError(
          absl::StrCat(w.output, " windows along one axis; at most ", kMostOutputs, " are computed"));
    }
    taps *= static_cast<double>(w.output) * static_cast<double>(std::min(w.kernel, std::max<int64_t>(w.input, 1)));
  }
  if (taps <= kMostTaps) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrFormat("windows over %.4g elements in all; at most %.4g are computed", taps, kMostTaps));
}

}  // namespace quantgate::simulator
