// Convolutions as products of matrices; depthwise ones directly.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/gemm.h"
#include "rules/simulator/float/kernels.h"

namespace quantgate::simulator {
namespace {

// Data (N, C, spatial...) and weight (out, in/group, spatial...), whatever the call's layout.
struct Operands {
  Tensor x, w;
  absl::Span<const float> bias;
  int64_t group = 1;
  absl::Status status;
};

Operands Prepare(FloatCall& call, bool transposed) {
  Operands operands;
  const absl::StatusOr<absl::Span<const float>> x = FloatInput(call, 0), w = FloatInput(call, 1);
  if (!x.ok() || !w.ok()) {
    operands.status = x.ok() ? w.status() : x.status();
    return operands;
  }
  if (call.inputs[0]->dims.size() < 3 || call.inputs[0]->dims.size() != call.inputs[1]->dims.size()) {
    operands.status = absl::InvalidArgumentError(
        absl::StrCat("data ", DimsText(call.inputs[0]->dims), " and weight ", DimsText(call.inputs[1]->dims)));
    return operands;
  }
  const bool last = call.layout == Layout::kChannelsLast;
  operands.x = last ? ToChannelsFirst(*call.inputs[0]) : *call.inputs[0];
  operands.w = last ? ToChannelsFirst(*call.inputs[1]) : *call.inputs[1];
  operands.group = call.attributes.Int("group", 1);
  if (call.op == OpId::kDepthwiseConv && last) {
    // (1, spatial..., out) became (1, out, spatial...).
    std::swap(operands.w.dims[0], operands.w.dims[1]);
    operands.group = operands.x.dims[1];
  } else if (transposed && last) {
    // (out, spatial..., in) became (out, in, spatial...).
    std::vector<int> swapped(operands.w.dims.size());
    for (size_t i = 0; i < swapped.size(); ++i) swapped[i] = static_cast<int>(i);
    std::swap(swapped[0], swapped[1]);
    operands.w = Permuted(operands.w, swapped);
  }
  if (const Tensor* bias = call.input(2); bias != nullptr) {
    const absl::StatusOr<absl::Span<const float>> values = FloatInput(call, 2);
    if (!values.ok()) {
      operands.status = values.status();
      return operands;
    }
    operands.bias = *values;
  }
  const Dims& x_dims = operands.x.dims;
  const Dims& w_dims = operands.w.dims;
  const int64_t out = transposed ? w_dims[1] * operands.group : w_dims[0];
  const int64_t in = transposed ? w_dims[0] : w_dims[1] * operands.group;
  if (operands.group < 1 || in != x_dims[1] || out % operands.group != 0 || x_dims[1] % operands.group != 0 ||
      (!operands.bias.empty() && static_cast<int64_t>(operands.bias.size()) != out)) {
    operands.status = absl::InvalidArgumentError(absl::StrCat("data ", DimsText(x_dims), ", weight ", DimsText(w_dims),
                                                              ", ", operands.group, " groups and ",
                                                              operands.bias.size(), " biases do not go together"));
  }
  return operands;
}

// The input positions under each tap of the kernel: rows are (channel, tap), columns are output positions.
void Columns(const float* image, absl::Span<const int64_t> spatial, int64_t channels, const SpatialWindow& window,
             float* columns) {
  const size_t rank = spatial.size();
  const int64_t taps = Count(window.kernel);
  const int64_t outputs = Count(window.outputs);
  const int64_t plane = Count(spatial);
  const Dims strides = Strides(spatial);
  const int64_t inner = window.outputs[rank - 1];
  Dims tap(rank), at(rank);
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t t = 0; t < taps; ++t) {
      int64_t rest = t;
      for (size_t i = rank; i-- > 0; rest /= window.kernel[i]) tap[i] = rest % window.kernel[i];
      float* row = columns + (channel * taps + t) * outputs;
      std::fill(at.begin(), at.end(), 0);
      for (int64_t done = 0; done < outputs; done += inner) {
        int64_t base = 0;
        bool inside = true;
        for (size_t i = 0; i + 1 < rank; ++i) {
          const int64_t position = at[i] * window.strides[i] - window.pads_begin[i] + tap[i] * window.dilations[i];
          inside = inside && position >= 0 && position < spatial[i];
          base += position * strides[i];
        }
        const int64_t offset = tap[rank - 1] * window.dilations[rank - 1] - window.pads_begin[rank - 1];
        const int64_t step = window.strides[rank - 1];
        // Outputs [first, last) meet the input.
        const int64_t last =
            inside && spatial[rank - 1] > offset ? std::min(inner, (spatial[rank - 1] - offset + step - 1) / step) : 0;
        const int64_t first = std::min(last, offset >= 0 ? 0 : (-offset + step - 1) / step);
        const float* from = last > first ? image + channel * plane + base + offset + first * step : image;
        std::fill_n(row + done, first, 0.0f);
        if (step == 1) {
          if (last > first) std::copy_n(from, last - first, row + done + first);
        } else {
          for (int64_t o = first; o < last; ++o) row[done + o] = from[(o - first) * step];
        }
        std::fill(row + done + last, row + done + inner, 0.0f);
        for (size_t i = rank - 1; i-- > 0;) {
          if (++at[i] < window.outputs[i]) break;
          at[i] = 0;
        }
      }
    }
  }
}

}  // namespace

absl::Status RunConv(FloatCall& call) {
  Operands operands = Prepare(call, /*transposed=*/false);
  if (!operands.status.ok()) return operands.status;
  const Dims& x = operands.x.dims;
  const Dims& w = operands.w.dims;
  const absl::Span<const int64_t> spatial = absl::MakeConstSpan(x).subspan(2);
  const absl::StatusOr<SpatialWindow> window = MakeWindow(call.attributes, spatial, absl::MakeConstSpan(w).subspan(2));
  if (!window.ok()) return window.status();
  Dims dims = {x[0], w[0]};
  dims.insert(dims.end(), window->outputs.begin(), window->outputs.end());
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  const int64_t outputs = Count(window->outputs), taps = Count(window->kernel), plane = Count(spatial);
  const int64_t in = w[1], out = w[0] / operands.group;
  const bool pointwise =
      taps == 1 && outputs == plane && *std::max_element(window->pads_begin.begin(), window->pads_begin.end()) == 0;
  // Rows of columns that are made at once.
  if (!pointwise && in * taps > call.max_bytes / 4 / std::max<int64_t>(outputs, 1)) {
    return absl::ResourceExhaustedError(absl::StrCat("a convolution of ", in, " channels, ", taps, " taps and ",
                                                     outputs, " positions needs more than ", call.max_bytes, " bytes"));
  }
  std::vector<float> columns(pointwise ? 0 : in * taps * outputs);
  const float* data = operands.x.as<float>().data();
  const float* weights = operands.w.as<float>().data();
  float* result = call.outputs[0].as<float>().data();
  for (int64_t n = 0; n < x[0]; ++n) {
    for (int64_t g = 0; g < operands.group; ++g) {
      const float* image = data + (n * x[1] + g * in) * plane;
      float* to = result + (n * w[0] + g * out) * outputs;
      if (!pointwise) Columns(image, spatial, in, *window, columns.data());
      Gemm(out, outputs, in * taps, weights + g * out * in * taps, false, pointwise ? image : columns.data(), false,
           to);
    }
  }
  for (int64_t i = 0; i < x[0] * w[0]; ++i) {
    const float bias = operands.bias.empty() ? 0.0f : operands.bias[i % w[0]];
    if (bias == 0) continue;
    for (int64_t o = 0; o < outputs; ++o) result[i * outputs + o] += bias;
  }
  Activate(call.attributes, call.outputs[0].as<float>());
  if (call.layout == Layout::kChannelsLast) call.outputs[0] = ToChannelsLast(call.outputs[0]);
  return absl::OkStatus();
}

absl::Status RunConvTranspose(FloatCall& call) {
  Operands operands = Prepare(call, /*transposed=*/true);
  if (!operands.status.ok()) return operands.status;
  const Dims& x = operands.x.dims;
  const Dims& w = operands.w.dims;
  const size_t rank = x.size() - 2;
  const Attributes& attributes = call.attributes;
  const auto list = [&](absl::string_view name, int64_t fallback) {
    const absl::Span<const int64_t> given = attributes.Ints(name);
    if (given.size() == 1) return Dims(rank, given[0]);
    return given.size() < rank ? Dims(rank, fallback) : Dims(given.begin(), given.end());
  };
  // A transposed convolution writes where the convolution with the same windows, over the output, would read.
  SpatialWindow window;
  window.kernel.assign(w.begin() + 2, w.end());
  window.strides = list("strides", 1);
  window.dilations = list("dilations", 1);
  const Dims padding = list("output_padding", 0);
  Dims pads = list("pads", 0);
  if (pads.size() == rank) pads.insert(pads.end(), pads.begin(), pads.begin() + rank);
  const absl::Span<const int64_t> shape = attributes.Ints("output_shape");
  const absl::string_view automatic = attributes.Text("auto_pad", "");
  Dims spatial(rank);
  window.outputs.assign(x.begin() + 2, x.end());
  for (size_t i = 0; i < rank; ++i) {
    constexpr int64_t kMax = int64_t{1} << 24;
    for (int64_t number : {window.kernel[i], window.strides[i], window.dilations[i]}) {
      if (number < 1 || number > kMax) {
        return absl::InvalidArgumentError(absl::StrCat("a kernel, stride or dilation of ", number));
      }
    }
    const int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t full = (x[i + 2] - 1) * window.strides[i] + extent;
    const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    if (shape.size() >= rank || same) {
      spatial[i] = shape.size() >= rank ? shape[shape.size() - rank + i] : x[i + 2] * window.strides[i];
      const int64_t surplus = full + padding[i] - spatial[i];
      const int64_t total = std::max<int64_t>(surplus, 0);
      pads[i] = automatic == "VALID" ? 0 : automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
    } else {
      spatial[i] = full + padding[i] - pads[i] - pads[rank + i];
    }
    if (spatial[i] < 1 || pads[i] < 0 || pads[i] > kMax) {
      return absl::InvalidArgumentError(absl::StrCat("an output of ", spatial[i], " elements with a pad of ", pads[i]));
    }
    window.pads_begin.push_back(pads[i]);
  }
  const int64_t in = w[0] / operands.group, out = w[1], taps = Count(window.kernel), plane = Count(window.outputs);
  Dims dims = {x[0], out * operands.group};
  dims.insert(dims.end(), spatial.begin(), spatial.end());
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  if (out * taps > call.max_bytes / 4 / std::max<int64_t>(plane, 1)) {
    return absl::ResourceExhaustedError(absl::StrCat("a convolution of ", out, " channels, ", taps, " taps and ", plane,
                                                     " positions needs more than ", call.max_bytes, " bytes"));
  }
  std::vector<float> columns(out * taps * plane);
  const float* data = operands.x.as<float>().data();
  const float* weights = operands.w.as<float>().data();
  const int64_t out_plane = Count(spatial);
  const Dims strides = Strides(spatial);
  for (int64_t n = 0; n < x[0]; ++n) {
    for (int64_t g = 0; g < operands.group; ++g) {
      const float* image = data + (n * x[1] + g * in) * plane;
      float* to = call.outputs[0].as<float>().data() + (n * dims[1] + g * out) * out_plane;
      Gemm(out * taps, plane, in, weights + g * in * out * taps, true, image, false, columns.data());
      Dims at(rank), tap(rank);
      for (int64_t row = 0; row < out * taps; ++row) {
        int64_t rest = row % taps;
        for (size_t i = rank; i-- > 0; rest /= window.kernel[i]) tap[i] = rest % window.kernel[i];
        std::fill(at.begin(), at.end(), 0);
        float* channel = to + row / taps * out_plane;
        for (int64_t position = 0; position < plane; ++position) {
          int64_t offset = 0;
          bool inside = true;
          for (size_t i = 0; i < rank; ++i) {
            const int64_t where = at[i] * window.strides[i] - window.pads_begin[i] + tap[i] * window.dilations[i];
            inside = inside && where >= 0 && where < spatial[i];
            offset += where * strides[i];
          }
          if (inside) channel[offset] += columns[row * plane + position];
          for (size_t i = rank; i-- > 0;) {
            if (++at[i] < window.outputs[i]) break;
            at[i] = 0;
          }
        }
      }
      for (int64_t c = 0; c < out && !operands.bias.empty(); ++c) {
        for (int64_t i = 0; i < out_plane; ++i) to[c * out_plane + i] += operands.bias[g * out + c];
      }
    }
  }
  Activate(call.attributes, call.outputs[0].as<float>());
  if (call.layout == Layout::kChannelsLast) call.outputs[0] = ToChannelsLast(call.outputs[0]);
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
