// Convolutions as products of matrices; depthwise ones directly.
#include <optional>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/depthwise.h"
#include "rules/simulator/float/gemm.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/planes.h"
#include "rules/simulator/shapes.h"
#include "rules/simulator/window.h"

namespace quantgate::simulator {
namespace {

// Windows along the spatial axes, an entry for each.
struct SpatialWindow {
  Dims kernel;
  Dims strides;
  Dims dilations;
  Dims pads_begin;
  Dims pads_end;
  Dims outputs;  // sizes that follow
};

// `spatial`: sizes of the input. INVALID_ARGUMENT where numbers do not make windows.
absl::StatusOr<SpatialWindow> MakeWindow(const Attributes& attributes, absl::Span<const int64_t> spatial,
                                         absl::Span<const int64_t> kernel) {
  const absl::StatusOr<std::vector<Window>> windows = Windows(attributes, spatial, kernel);
  if (!windows.ok()) return windows.status();
  SpatialWindow all;
  for (const Window& axis : *windows) {
    all.kernel.push_back(axis.kernel);
    all.strides.push_back(axis.stride);
    all.dilations.push_back(axis.dilation);
    all.pads_begin.push_back(axis.pad_begin);
    all.pads_end.push_back(axis.pad_end);
    all.outputs.push_back(axis.output);
  }
  return all;
}

// Data (N, C, spatial...) and weight (out, in/group, spatial...), whatever the call's layout.
struct Operands {
  const Tensor* x = nullptr;
  const Tensor* w = nullptr;
  absl::Span<const float> bias;
  int64_t group = 1;
  absl::Status status;
  Tensor own_x, own_w;  // where they lie in another order
};

void Prepare(FloatCall& call, bool transposed, Operands& operands) {
  const absl::StatusOr<absl::Span<const float>> x = FloatInput(call, 0), w = FloatInput(call, 1);
  if (!x.ok() || !w.ok()) {
    operands.status = x.ok() ? w.status() : x.status();
    return;
  }
  operands.x = call.inputs[0];
  operands.w = call.inputs[1];
  if (operands.x->dims.size() < 3 || operands.x->dims.size() != operands.w->dims.size()) {
    operands.status = absl::InvalidArgumentError(
        absl::StrCat("data ", DimsText(operands.x->dims), " and weight ", DimsText(operands.w->dims)));
    return;
  }
  operands.group = call.attributes.Int("group", 1);
  if (call.layout == Layout::kChannelsLast) {
    operands.own_x = ToChannelsFirst(*operands.x);
    operands.own_w = ToChannelsFirst(*operands.w);
    operands.x = &operands.own_x;
    operands.w = &operands.own_w;
    if (call.op == OpId::kDepthwiseConv) {
      // (1, spatial..., out) became (1, out, spatial...).
      std::swap(operands.own_w.dims[0], operands.own_w.dims[1]);
      operands.group = operands.own_x.dims[1];
    } else if (transposed) {
      // (out, spatial..., in) became (out, in, spatial...).
      std::vector<int> swapped(operands.own_w.dims.size());
      for (size_t i = 0; i < swapped.size(); ++i) swapped[i] = static_cast<int>(i);
      std::swap(swapped[0], swapped[1]);
      operands.own_w = Permuted(operands.own_w, swapped);
    }
  }
  if (const Tensor* bias = call.input(2); bias != nullptr) {
    const absl::StatusOr<absl::Span<const float>> values = FloatInput(call, 2);
    if (!values.ok()) {
      operands.status = values.status();
      return;
    }
    operands.bias = *values;
  }
  const Dims& x_dims = operands.x->dims;
  const Dims& w_dims = operands.w->dims;
  const int64_t out = transposed ? w_dims[1] * operands.group : w_dims[0];
  const int64_t in = transposed ? w_dims[0] : w_dims[1] * operands.group;
  if (operands.group < 1 || in != x_dims[1] || out % operands.group != 0 || x_dims[1] % operands.group != 0 ||
      (!operands.bias.empty() && static_cast<int64_t>(operands.bias.size()) != out)) {
    operands.status = absl::InvalidArgumentError(absl::StrCat("data ", DimsText(x_dims), ", weight ", DimsText(w_dims),
                                                              ", ", operands.group, " groups and ",
                                                              operands.bias.size(), " biases do not go together"));
  }
}

// A part of a row of outputs, whose inputs under one tap are a run with steps.
struct Piece {
  int64_t at = 0, count = 0;       // elements of the panel's row
  int64_t from = 0;                // of the image's channel; of the first that lies inside
  int64_t before = 0, inside = 0;  // elements of padding, and then of the image
};

// The input positions under the taps of the kernel: rows are (channel, tap), columns are output positions.
class Columns {
 public:
  Columns(absl::Span<const int64_t> spatial, const SpatialWindow& window)
      : spatial_(spatial), window_(window), strides_(StridesOf(spatial)), taps_(Count(window.kernel)) {}

  void Fill(const float* image, const Panel& panel, float* to) {
    const int64_t plane = Count(spatial_), step = window_.strides.back();
    for (int64_t first = 0; first < std::min(taps_, panel.terms); ++first) {
      PiecesUnder((panel.term + first) % taps_, panel);
      for (int64_t term = first; term < panel.terms; term += taps_) {
        const float* channel = image + (panel.term + term) / taps_ * plane;
        for (const Piece& piece : pieces_) {
          float* row = to + term * panel.stride + piece.at;
          const float* from = channel + piece.from;
          std::fill_n(row, piece.before, 0.0f);
          row += piece.before;
          if (step == 1) {
            std::copy_n(from, piece.inside, row);
          } else if (step == 2) {  // which compilers vectorize
            for (int64_t i = 0; i < piece.inside; ++i) row[i] = from[2 * i];
          } else {
            for (int64_t i = 0; i < piece.inside; ++i) row[i] = from[i * step];
          }
          std::fill_n(row + piece.inside, piece.count - piece.before - piece.inside, 0.0f);
        }
      }
    }
  }

 private:
  // What the panel's columns read under one tap.
  void PiecesUnder(int64_t tap, const Panel& panel) {
    pieces_.clear();
    const size_t last = spatial_.size() - 1;
    const int64_t width = window_.outputs[last], step = window_.strides[last];
    for (int64_t at = 0; at < panel.columns; at += pieces_.back().count) {
      int64_t position = (panel.column + at) / width, rest = tap / window_.kernel[last];
      Piece& piece = pieces_.emplace_back();
      const int64_t column = (panel.column + at) % width;
      piece.at = at;
      piece.count = std::min(width - column, panel.columns - at);
      bool inside = true;
      for (size_t i = last; i-- > 0;) {
        const int64_t row = position % window_.outputs[i] * window_.strides[i] - window_.pads_begin[i] +
                            rest % window_.kernel[i] * window_.dilations[i];
        inside = inside && row >= 0 && row < spatial_[i];
        piece.from += row * strides_[i];
        position /= window_.outputs[i];
        rest /= window_.kernel[i];
      }
      const int64_t offset =
          column * step - window_.pads_begin[last] + tap % window_.kernel[last] * window_.dilations[last];
      const int64_t room = spatial_[last] - offset;
      piece.before = inside && room > 0 ? std::min(piece.count, offset >= 0 ? 0 : (-offset + step - 1) / step) : 0;
      piece.inside =
          inside && room > 0 ? std::max<int64_t>(std::min(piece.count, (room + step - 1) / step) - piece.before, 0) : 0;
      piece.from = piece.inside > 0 ? piece.from + offset + piece.before * step : 0;
    }
  }

  const absl::Span<const int64_t> spatial_;
  const SpatialWindow& window_;
  const Dims strides_;
  const int64_t taps_;
  std::vector<Piece> pieces_;
};

// Rows and columns of windows over one or two axes whose planes are worth copying; nullopt: others.
struct Flat {
  Window rows, columns;
};
std::optional<Flat> FlatWindows(const FloatCall& call, const Operands& operands) {
  const absl::Span<const int64_t> x = operands.x->dims, w = operands.w->dims;
  const absl::StatusOr<std::vector<Window>> windows = Windows(call.attributes, x.subspan(2), w.subspan(2));
  if (!windows.ok() || windows->size() > 2) return std::nullopt;
  Flat flat{windows->size() == 2 ? windows->front() : Window(), windows->back()};
  if (!PlanesAreSmall(flat.rows, flat.columns, 1)) return std::nullopt;
  // Then they are at most 8 times as large as the channel, and 2^20 elements more.
  if (Count(x.subspan(2)) > (call.max_bytes / 4 - (1 << 20)) / 8) return std::nullopt;
  return flat;
}

// One input channel for each group.
void Depthwise(const Flat& flat, const Operands& operands, bool relu, float* to) {
  const int64_t taps = flat.rows.kernel * flat.columns.kernel, outputs = flat.rows.output * flat.columns.output;
  const int64_t channels = operands.x->dims[1], each = operands.w->dims[0] / channels;
  Planes<float> planes(flat.rows, flat.columns, 1, 0, /*padded=*/true);
  std::vector<const float*> from(static_cast<size_t>(taps));
  for (int64_t t = 0; t < taps; ++t) {
    from[t] = planes.data() + planes.tap(t / flat.columns.kernel, t % flat.columns.kernel);
  }
  const float* image = operands.x->as<float>().data();
  for (int64_t i = 0; i < operands.x->dims[0] * channels; ++i, image += flat.rows.input * flat.columns.input) {
    planes.Fill(image);
    for (int64_t out = i % channels * each; out < (i % channels + 1) * each; ++out, to += outputs) {
      ConvChannel(
          {from, flat.rows.output, flat.columns.output, planes.step()},
          {operands.w->as<float>().data() + out * taps, operands.bias.empty() ? 0.0f : operands.bias[out], relu}, to);
    }
  }
}

}  // namespace

absl::Status RunConv(FloatCall& call) {
  Operands operands;
  Prepare(call, /*transposed=*/false, operands);
  if (!operands.status.ok()) return operands.status;
  const Dims& x = operands.x->dims;
  const Dims& w = operands.w->dims;
  const absl::Span<const int64_t> spatial = absl::MakeConstSpan(x).subspan(2);
  const absl::StatusOr<SpatialWindow> window = MakeWindow(call.attributes, spatial, absl::MakeConstSpan(w).subspan(2));
  if (!window.ok()) return window.status();
  Dims dims = {x[0], w[0]};
  dims.insert(dims.end(), window->outputs.begin(), window->outputs.end());
  if (absl::Status status = call.MakeUnset(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  const int64_t outputs = Count(window->outputs), taps = Count(window->kernel), plane = Count(spatial);
  const int64_t in = w[1], out = w[0] / operands.group;
  // What no model means would take hours: elements under all windows of a group.
  constexpr int64_t kMostElements = int64_t{1} << 30;
  if (taps > 1 && in * taps > kMostElements / std::max<int64_t>(outputs, 1)) {
    return absl::ResourceExhaustedError(absl::StrCat("a convolution of ", in, " channels, ", taps, " taps and ",
                                                     outputs, " positions; at most ", kMostElements,
                                                     " elements under its windows are computed"));
  }
  float* result = call.outputs[0].as<float>().data();
  // Behind another activation it comes afterwards.
  const bool relu = call.relu && call.attributes.Text("activation", "").empty();
  if (relu) call.relu = false;
  if (const std::optional<Flat> flat = in == 1 ? FlatWindows(call, operands) : std::nullopt; flat.has_value()) {
    Depthwise(*flat, operands, relu, result);
  } else {
    // Positions under a kernel of one tap lie as they are read.
    const bool pointwise = taps == 1 && window->strides == Dims(spatial.size(), 1) &&
                           window->pads_begin == Dims(spatial.size(), 0) && window->pads_end == Dims(spatial.size(), 0);
    Columns columns(spatial, *window);
    for (int64_t i = 0; i < x[0] * operands.group; ++i) {
      const int64_t first = i % operands.group * out;
      const float* image = operands.x->as<float>().data() + i * in * plane;
      const LeftMatrix weights{operands.w->as<float>().data() + first * in * taps, in * taps, 1};
      const Finish finish{operands.bias.empty() ? nullptr : operands.bias.data() + first, relu};
      float* to = result + i * out * outputs;
      if (pointwise) {
        Gemm(out, outputs, in, weights, image, finish, to);
      } else {
        const auto fill = [&](const Panel& panel, float* part) { columns.Fill(image, panel, part); };
        Gemm(out, outputs, in * taps, weights, fill, finish, to);
      }
    }
  }
  Activate(call.attributes, call.outputs[0].as<float>());
  if (call.layout == Layout::kChannelsLast) call.outputs[0] = ToChannelsLast(call.outputs[0]);
  return absl::OkStatus();
}

absl::Status RunConvTranspose(FloatCall& call) {
  Operands operands;
  Prepare(call, /*transposed=*/true, operands);
  if (!operands.status.ok()) return operands.status;
  const Dims& x = operands.x->dims;
  const Dims& w = operands.w->dims;
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
  const float* data = operands.x->as<float>().data();
  const float* weights = operands.w->as<float>().data();
  const int64_t out_plane = Count(spatial);
  const Dims strides = StridesOf(spatial);
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
