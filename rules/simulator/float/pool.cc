// Windows that become one element each.
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"

namespace quantgate::simulator {
namespace {

// Of each output position along one axis: the first and the last element.
using Bounds = std::vector<std::pair<int64_t, int64_t>>;

absl::Status RunAdaptive(FloatCall& call, const Tensor& x) {
  const absl::Span<const int64_t> sizes = call.attributes.Ints("sizes");
  const size_t rank = x.dims.size() - 2;
  if (sizes.size() != rank) return absl::InvalidArgumentError(absl::StrCat(sizes.size(), " sizes for ", rank, " axes"));
  if (rank > 2) return absl::UnimplementedError("adaptive pools of three axes");
  Dims dims = {x.dims[0], x.dims[1]};
  for (int64_t size : sizes) dims.push_back(size);
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  const int64_t height = rank == 2 ? x.dims[2] : 1, width = x.dims.back();
  const int64_t rows = rank == 2 ? sizes[0] : 1, columns = sizes[rank - 1];
  const float* in = x.as<float>().data();
  float* out = call.outputs[0].as<float>().data();
  for (int64_t plane = 0; plane < dims[0] * dims[1]; ++plane, in += height * width) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t top = r * height / rows, bottom = ((r + 1) * height + rows - 1) / rows;
        const int64_t left = c * width / columns, right = ((c + 1) * width + columns - 1) / columns;
        float sum = 0;
        for (int64_t y = top; y < bottom; ++y) {
          for (int64_t i = left; i < right; ++i) sum += in[y * width + i];
        }
        *out++ = sum / static_cast<float>((bottom - top) * (right - left));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status RunWindows(FloatCall& call, const Tensor& x, const SpatialWindow& window) {
  const size_t rank = window.kernel.size();
  Dims dims = {x.dims[0], x.dims[1]};
  dims.insert(dims.end(), window.outputs.begin(), window.outputs.end());
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  const absl::Span<const int64_t> spatial = absl::MakeConstSpan(x.dims).subspan(2);
  const Dims strides = Strides(spatial);
  const int64_t plane = Count(spatial), outputs = Count(window.outputs), taps = Count(window.kernel);
  const bool is_max = call.op == OpId::kMaxPool;
  const bool count_pads = call.attributes.Int("count_include_pad", 0) != 0;
  const int64_t divisor = call.attributes.Int("divisor_override", 0);
  const float* in = x.as<float>().data();
  float* out = call.outputs[0].as<float>().data();
  Dims at(rank), tap(rank);
  for (int64_t p = 0; p < dims[0] * dims[1]; ++p, in += plane) {
    std::fill(at.begin(), at.end(), 0);
    for (int64_t o = 0; o < outputs; ++o) {
      float best = -std::numeric_limits<float>::infinity(), sum = 0;
      int64_t inside_count = 0, padded_count = 0;
      std::fill(tap.begin(), tap.end(), 0);
      for (int64_t t = 0; t < taps; ++t) {
        int64_t offset = 0;
        bool inside = true, padded = true;
        for (size_t i = 0; i < rank; ++i) {
          const int64_t where = at[i] * window.strides[i] - window.pads_begin[i] + tap[i] * window.dilations[i];
          inside = inside && where >= 0 && where < spatial[i];
          padded = padded && where < spatial[i] + window.pads_end[i];
          offset += where * strides[i];
        }
        padded_count += padded;
        if (inside) {
          ++inside_count;
          best = std::max(best, in[offset]);
          sum += call.op == OpId::kLpPool ? in[offset] * in[offset] : in[offset];
        }
        for (size_t i = rank; i-- > 0;) {
          if (++tap[i] < window.kernel[i]) break;
          tap[i] = 0;
        }
      }
      const int64_t count = divisor > 0 ? divisor : count_pads ? padded_count : inside_count;
      *out++ = is_max                     ? best
               : call.op == OpId::kLpPool ? std::sqrt(sum)
                                          : sum / static_cast<float>(std::max<int64_t>(count, 1));
      for (size_t i = rank; i-- > 0;) {
        if (++at[i] < window.outputs[i]) break;
        at[i] = 0;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunPool(FloatCall& call) {
  const absl::StatusOr<absl::Span<const float>> in = FloatInput(call, 0);
  if (!in.ok()) return in.status();
  if (call.inputs[0]->dims.size() < 3) return absl::InvalidArgumentError("a pool over fewer than three axes");
  const bool last = call.layout == Layout::kChannelsLast;
  const Tensor x = last ? ToChannelsFirst(*call.inputs[0]) : *call.inputs[0];
  const absl::Span<const int64_t> spatial = absl::MakeConstSpan(x.dims).subspan(2);
  absl::Status status;
  if (call.op == OpId::kAdaptiveAveragePool) {
    status = RunAdaptive(call, x);
  } else if (call.op == OpId::kGlobalAveragePool || call.op == OpId::kGlobalMaxPool) {
    Dims dims(x.dims.size(), 1);
    dims[0] = x.dims[0];
    dims[1] = x.dims[1];
    status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims);
    const int64_t plane = Count(spatial);
    const float* from = x.as<float>().data();
    for (float& out : call.outputs[0].as<float>()) {
      double sum = 0;
      float best = -std::numeric_limits<float>::infinity();
      for (int64_t i = 0; i < plane; ++i, ++from) {
        sum += *from;
        best = std::max(best, *from);
      }
      out = call.op == OpId::kGlobalMaxPool ? best : static_cast<float>(sum / static_cast<double>(plane));
    }
  } else {
    const absl::StatusOr<SpatialWindow> window =
        MakeWindow(call.attributes, spatial, call.attributes.Ints("kernel_shape"));
    if (!window.ok()) return window.status();
    if (call.outputs.size() > 1) return absl::UnimplementedError("a pool that also says where its maxima are");
    status = RunWindows(call, x, *window);
  }
  if (!status.ok()) return status;
  Activate(call.attributes, call.outputs[0].as<float>());
  if (last) call.outputs[0] = ToChannelsLast(call.outputs[0]);
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
