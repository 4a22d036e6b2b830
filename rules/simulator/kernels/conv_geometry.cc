#include "rules/simulator/kernels/conv_geometry.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

AxisMap MapOf(const Window& w) {
  AxisMap map{w.input, w.kernel, w.output, {}, w};
  map.source.reserve(static_cast<size_t>(w.output * w.kernel));
  for (int64_t o = 0; o < w.output; ++o) {
    for (int64_t k = 0; k < w.kernel; ++k) {
      const int64_t at = o * w.stride + k * w.dilation - w.pad_begin;
      map.source.push_back(at >= 0 && at < w.input ? at : -1);
    }
  }
  return map;
}

// A transposed convolution, seen from its output. `size` 0: not stated.
absl::StatusOr<AxisMap> TransposedMapOf(Window w, int64_t output_padding, int64_t size, absl::string_view automatic) {
  constexpr int64_t kMost = int64_t{1} << 31;
  if (w.input > kMost || w.stride > kMost || w.kernel > kMost || w.dilation > kMost || size > kMost ||
      output_padding < 0 || output_padding > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat("a transposed convolution with stride ", w.stride, " over ", w.input));
  }
  const int64_t full = w.stride * (w.input - 1) + output_padding + (w.kernel - 1) * w.dilation + 1;
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER" || (size > 0 && automatic != "VALID")) {
    w.output = size > 0 ? size : w.input * w.stride;
    const int64_t total = std::max<int64_t>(0, full - w.output);
    w.pad_begin = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
  } else if (automatic == "VALID") {
    w.pad_begin = 0;
    w.output = size > 0 ? size : full;
  } else {
    w.output = full - w.pad_begin - w.pad_end;
  }
  if (w.output < 0 || w.output > (int64_t{1} << 40) / std::max<int64_t>(1, w.kernel)) {
    return absl::InvalidArgumentError(absl::StrCat("an output of size ", w.output));
  }
  AxisMap map{w.input, w.kernel, w.output, {}, {}};
  for (int64_t o = 0; o < w.output; ++o) {
    for (int64_t k = 0; k < w.kernel; ++k) {
      const int64_t at = o + w.pad_begin - k * w.dilation;
      map.source.push_back(at >= 0 && at % w.stride == 0 && at / w.stride < w.input ? at / w.stride : -1);
    }
  }
  return map;
}

}  // namespace

absl::StatusOr<Geometry> GeometryOf(const KernelCall& call) {
  const Attributes& attributes = AttributesOf(call);
  const std::vector<int64_t>& x = call.inputs[0]->tensor.dims;
  const std::vector<int64_t>& w = call.inputs[1]->tensor.dims;
  const bool last = call.layout == Layout::kChannelsLast;
  const bool transposed = call.op == OpId::kConvTranspose;
  const bool depthwise = call.op == OpId::kDepthwiseConv;
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size()) {
    return absl::InvalidArgumentError(absl::StrCat("a convolution of shape [", absl::StrJoin(x, ", "),
                                                   "] with weights of shape [", absl::StrJoin(w, ", "), "]"));
  }
  const size_t spatial = x.size() - 2;
  Geometry g;
  g.batch = x[0];
  g.in_channels = last ? x.back() : x[1];
  g.groups = attributes.Int("group", 1);
  int64_t in_of_weight = 0;
  std::vector<int64_t> kernel, input;
  for (size_t i = 0; i < spatial; ++i) {
    kernel.push_back(last ? w[i + 1] : w[i + 2]);
    input.push_back(last ? x[i + 1] : x[i + 2]);
  }
  if (depthwise && last) {  // (1, spatial..., out)
    g.groups = g.in_channels;
    g.out_channels = w.back();
    in_of_weight = w[0];
  } else {
    if (depthwise) g.groups = g.in_channels;
    if (g.groups < 1) return absl::InvalidArgumentError(absl::StrCat("group is ", g.groups));
    if (transposed && !last) {
      g.out_channels = w[1] * g.groups;
      in_of_weight = g.groups > 0 && w[0] % g.groups == 0 ? w[0] / g.groups : -1;
    } else {
      g.out_channels = w[0];
      in_of_weight = last ? w.back() : w[1];
    }
  }
  if (g.groups < 1 || g.in_channels % g.groups != 0 || g.out_channels % g.groups != 0 ||
      in_of_weight != g.in_channels / g.groups) {
    return absl::InvalidArgumentError(absl::StrCat("weights of shape [", absl::StrJoin(w, ", "), "] in ", g.groups,
                                                   " groups over ", g.in_channels, " channels"));
  }
  Attributes plain;  // a transposed convolution computes its own output size
  if (transposed) {
    for (const char* name : {"strides", "dilations", "pads"}) {
      const absl::Span<const int64_t> values = attributes.Ints(name);
      plain.SetInts(name, std::vector<int64_t>(values.begin(), values.end()));
    }
  }
  std::vector<int64_t> reach = input;
  if (transposed) {  // so that the window check of a forward convolution passes
    for (size_t i = 0; i < spatial; ++i) reach[i] = std::max<int64_t>(input[i], int64_t{1} << 39);
  }
  absl::StatusOr<std::vector<Window>> windows = Windows(transposed ? plain : attributes, reach, kernel);
  if (!windows.ok()) return windows.status();
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < spatial; ++i) {
    Window& window = (*windows)[i];
    AxisMap& axis = g.axes[3 - spatial + i];
    if (transposed) {
      window.input = input[i];
      const absl::Span<const int64_t> padding = attributes.Ints("output_padding");
      const absl::Span<const int64_t> stated = attributes.Ints("output_shape");
      absl::StatusOr<AxisMap> map =
          TransposedMapOf(window, i < padding.size() ? padding[i] : 0, i < stated.size() ? stated[i] : 0,
                          attributes.Text("auto_pad", "NOTSET"));
      if (!map.ok()) return map.status();
      axis = *std::move(map);
    } else {
      if (window.output > (int64_t{1} << 28) / window.kernel) {
        return absl::ResourceExhaustedError(
            absl::StrCat("a convolution with ", window.output, " outputs along an axis"));
      }
      axis = MapOf(window);
    }
    sizes.push_back(axis.output);
  }
  for (size_t missing = 0; missing < 3 - spatial; ++missing) g.axes[missing].source = {0};
  g.output_dims = {g.batch};
  if (!last) g.output_dims.push_back(g.out_channels);
  g.output_dims.insert(g.output_dims.end(), sizes.begin(), sizes.end());
  if (last) g.output_dims.push_back(g.out_channels);
  return g;
}

}  // namespace quantgate::simulator
