// Windows that become one element each.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"
#include "rules/simulator/window.h"

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

absl::Status RunWindows(FloatCall& call, const Tensor& x, absl::Span<const Window> windows) {
  const size_t rank = windows.size();
  Dims dims = {x.dims[0], x.dims[1]}, outputs;
  std::vector<std::vector<Taps>> taps;
  for (const Window& window : windows) outputs.push_back(window.output);
  dims.insert(dims.end(), outputs.begin(), outputs.end());
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  if (absl::Status status = CheckWork(windows, dims[0] * dims[1]); !status.ok()) return status;
  for (const Window& window : windows) taps.push_back(AllTaps(window));
  const absl::Span<const int64_t> spatial = absl::MakeConstSpan(x.dims).subspan(2);
  const Dims strides = StridesOf(spatial);
  const int64_t plane = Count(spatial), positions = Count(outputs);
  const bool is_max = call.op == OpId::kMaxPool, is_norm = call.op == OpId::kLpPool;
  const bool propagates_nan = call.attributes.Int("propagates_nan", 0) != 0;
  const bool of_mean = call.attributes.Int("of_mean", 0) != 0;
  const auto p_norm = static_cast<float>(call.attributes.Int("p", 2));
  const bool count_pads = call.attributes.Int("count_include_pad", 0) != 0;
  const int64_t divisor = call.attributes.Int("divisor_override", 0);
  const float* in = x.as<float>().data();
  float* out = call.outputs[0].as<float>().data();
  Dims at(rank), tap(rank);
  for (int64_t p = 0; p < dims[0] * dims[1]; ++p, in += plane) {
    std::fill(at.begin(), at.end(), 0);
    for (int64_t o = 0; o < positions; ++o) {
      float best = -std::numeric_limits<float>::infinity(), sum = 0;
      int64_t inside = 1, padded = 1;
      for (size_t i = 0; i < rank; ++i) {
        const Taps& under = taps[i][at[i]];
        inside *= under.count();
        padded *= under.padded;
        tap[i] = under.first;
      }
      for (int64_t t = 0; t < inside; ++t) {
        int64_t offset = 0;
        for (size_t i = 0; i < rank; ++i) {
          offset += (at[i] * windows[i].stride - windows[i].pad_begin + tap[i] * windows[i].dilation) * strides[i];
        }
        best = propagates_nan && std::isnan(in[offset]) ? in[offset] : std::max(best, in[offset]);
        sum += is_norm ? std::pow(std::fabs(in[offset]), p_norm) : in[offset];
        for (size_t i = rank; i-- > 0;) {
          if (++tap[i] < taps[i][at[i]].last) break;
          tap[i] = taps[i][at[i]].first;
        }
      }
      const int64_t count = divisor > 0 ? divisor : count_pads ? padded : inside;
      const float mean = sum / static_cast<float>(std::max<int64_t>(count, 1));
      *out++ = is_max ? best : is_norm ? std::pow(of_mean ? mean : sum, 1 / p_norm) : mean;
      for (size_t i = rank; i-- > 0;) {
        if (++at[i] < outputs[i]) break;
        at[i] = 0;
      }
    }
  }
  return absl::OkStatus();
}

// A maximum of integers is one of them.
absl::Status RunOnIntegers(FloatCall& call) {
  const Tensor& in = *call.inputs[0];
  const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(in);
  if (!integers.ok()) return integers.status();
  Tensor reals;
  reals.type = v1::DATA_TYPE_FLOAT32;
  if (absl::Status status = Allocate(in.dims, reals); !status.ok()) return status;
  std::copy(integers->begin(), integers->end(), reals.as<float>().begin());
  const Tensor* inputs[1] = {&reals};
  FloatCall inner{call.op, call.layout, call.attributes, inputs, call.outputs, call.max_bytes};
  if (absl::Status status = RunPool(inner); !status.ok()) return status;
  const Tensor computed = std::move(call.outputs[0]);
  const absl::Span<const float> values = computed.as<float>();
  if (absl::Status status = call.Make(0, in.type, computed.dims); !status.ok()) return status;
  for (size_t i = 0; i < values.size(); ++i) {
    if (in.type == v1::DATA_TYPE_UINT8) {
      call.outputs[0].as<uint8_t>()[i] = static_cast<uint8_t>(std::max(values[i], 0.0f));
    } else {
      call.outputs[0].as<int8_t>()[i] = static_cast<int8_t>(std::max(values[i], -128.0f));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunPool(FloatCall& call) {
  const bool is_max = call.op == OpId::kMaxPool || call.op == OpId::kGlobalMaxPool;
  if (is_max && call.input(0) != nullptr &&
      (call.inputs[0]->type == v1::DATA_TYPE_UINT8 || call.inputs[0]->type == v1::DATA_TYPE_INT8)) {
    return RunOnIntegers(call);
  }
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
    const absl::StatusOr<std::vector<Window>> windows =
        Windows(call.attributes, spatial, call.attributes.Ints("kernel_shape"));
    if (!windows.ok()) return windows.status();
    if (call.outputs.size() > 1) return absl::UnimplementedError("a pool that also says where its maxima are");
    status = RunWindows(call, x, *windows);
  }
  if (!status.ok()) return status;
  Activate(call.attributes, call.outputs[0].as<float>());
  if (last) call.outputs[0] = ToChannelsLast(call.outputs[0]);
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
