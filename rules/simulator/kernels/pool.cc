// Average and maximum over windows.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernels/activation.h"
#include "rules/simulator/kernels/byte_elements.h"
#include "rules/simulator/kernels/decomposed.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/planes.h"
#include "rules/simulator/shapes.h"
#include "rules/simulator/window.h"

namespace quantgate::simulator {
namespace {

struct Pooling {
  int64_t batch = 1, channels = 1;
  std::vector<Window> axes;  // three of them; those that are not there have size 1
  std::vector<int64_t> dims;
  bool last = false;
  bool count_padding = false;

  int64_t At(int64_t n, int64_t c, int64_t a, int64_t b, int64_t d, bool input) const {
    const auto size = [&](size_t i) { return input ? axes[i].input : axes[i].output; };
    const int64_t position = (a * size(1) + b) * size(2) + d, all = size(0) * size(1) * size(2);
    return last ? (n * all + position) * channels + c : (n * channels + c) * all + position;
  }
};

absl::StatusOr<Pooling> PoolingOf(const KernelCall& call) {
  const std::vector<int64_t>& dims = call.inputs[0]->tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  if (dims.size() < 3 || dims.size() > 5) {
    return absl::UnimplementedError(absl::StrCat("pooling of rank ", dims.size()));
  }
  Pooling p;
  p.last = call.layout == Layout::kChannelsLast;
  p.batch = dims[0];
  p.channels = p.last ? dims.back() : dims[1];
  p.count_padding = attributes.Int("count_include_pad", 0) != 0;
  const std::vector<int64_t> spatial(dims.begin() + (p.last ? 1 : 2), dims.end() - (p.last ? 1 : 0));
  const bool global = call.op == OpId::kGlobalAveragePool || call.op == OpId::kGlobalMaxPool;
  if (global) {
    for (const int64_t size : spatial) p.axes.push_back({.input = size, .kernel = size, .output = 1});
  } else {
    absl::StatusOr<std::vector<Window>> windows = Windows(attributes, spatial, attributes.Ints("kernel_shape"));
    if (!windows.ok()) return windows.status();
    p.axes = *std::move(windows);
  }
  p.dims = {p.batch};
  if (!p.last) p.dims.push_back(p.channels);
  for (const Window& axis : p.axes) p.dims.push_back(axis.output);
  if (p.last) p.dims.push_back(p.channels);
  while (p.axes.size() < 3) p.axes.insert(p.axes.begin(), Window());
  const absl::StatusOr<int64_t> count = ElementCount(p.dims);
  if (!count.ok()) return count.status();
  if (*count > (int64_t{1} << 31)) return absl::ResourceExhaustedError(absl::StrCat("a pool of ", *count, " elements"));
  if (absl::Status status = CheckWork(p.axes, p.batch * p.channels); !status.ok()) return status;
  return p;
}

// Calls `body(output element, taps, size with padding)` for every output with the input elements under its window.
template <typename Body>
void ForEachWindow(const Pooling& p, Body body) {
  const std::vector<Taps> a = AllTaps(p.axes[0]), b = AllTaps(p.axes[1]), c = AllTaps(p.axes[2]);
  const auto at = [](const Window& axis, int64_t output, int64_t tap) {
    return output * axis.stride + tap * axis.dilation - axis.pad_begin;
  };
  std::vector<int64_t> taps;
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t oa = 0; oa < p.axes[0].output; ++oa) {
      for (int64_t ob = 0; ob < p.axes[1].output; ++ob) {
        for (int64_t oc = 0; oc < p.axes[2].output; ++oc) {
          const int64_t with_padding = a[oa].padded * b[ob].padded * c[oc].padded;
          for (int64_t channel = 0; channel < p.channels; ++channel) {
            taps.clear();
            for (int64_t ka = a[oa].first; ka < a[oa].last; ++ka) {
              for (int64_t kb = b[ob].first; kb < b[ob].last; ++kb) {
                for (int64_t kc = c[oc].first; kc < c[oc].last; ++kc) {
                  taps.push_back(
                      p.At(n, channel, at(p.axes[0], oa, ka), at(p.axes[1], ob, kb), at(p.axes[2], oc, kc), true));
                }
              }
            }
            body(p.At(n, channel, oa, ob, oc, false), taps, with_padding);
          }
        }
      }
    }
  }
}

// The largest of bytes, with channels first and two axes at most.
bool MaximumOfBytes(const Pooling& p, const Tensor& in, Bounds bounds, Tensor& out) {
  const Window &rows = p.axes[1], &columns = p.axes[2];
  if (p.last || p.axes[0].kernel != 1 || p.axes[0].input != 1 || p.axes[0].output != 1 || BitWidth(in.type) != 8 ||
      !IsInteger(in.type) || out.data.empty() || !PlanesAreSmall(rows, columns, 1)) {
    return false;
  }
  PlaneMaximum maximum;
  maximum.sign = ByteSign(IsSigned(in.type));
  maximum.rows = rows.output;
  maximum.columns = columns.output;
  maximum.low = static_cast<int32_t>(bounds.low);
  maximum.high = static_cast<int32_t>(bounds.high);
  // Padding is never larger than what is there.
  BytePlanes planes(rows, columns, 1, maximum.sign.flip, /*padded=*/true);
  maximum.step = planes.step();
  std::vector<const uint8_t*> taps(static_cast<size_t>(rows.kernel * columns.kernel));
  const uint8_t* image = in.as<uint8_t>().data();
  uint8_t* to = out.as<uint8_t>().data();
  for (int64_t plane = 0; plane < p.batch * p.channels; ++plane) {
    planes.Fill(image);
    for (int64_t row = 0; row < rows.kernel; ++row) {
      for (int64_t column = 0; column < columns.kernel; ++column) {
        taps[row * columns.kernel + column] = planes.data() + planes.tap(row, column);
      }
    }
    maximum.taps = taps;
    MaximizePlane(maximum, to);
    image += rows.input * columns.input;
    to += rows.output * columns.output;
  }
  return true;
}

}  // namespace

absl::Status MaxPool(const Profile& profile, KernelCall& call) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  absl::StatusOr<Pooling> p = PoolingOf(call);
  if (!p.ok()) return p.status();
  if (!IsQuantizedInteger(in) || !StoredAlike(in, out)) {
    std::vector<float> values;
    if (absl::Status status = DequantizeToFloats(profile, in, values); !status.ok()) return status;
    absl::StatusOr<int64_t> count = ElementCount(p->dims);
    if (!count.ok()) return count.status();
    std::vector<float> result(static_cast<size_t>(*count), -INFINITY);
    ForEachWindow(*p, [&](int64_t to, const std::vector<int64_t>& taps, int64_t) {
      for (const int64_t tap : taps) result[to] = std::max(result[to], values[tap]);
    });
    return StoreFloats(profile, p->dims, result, out);
  }
  if (absl::Status status = Allocate(p->dims, out.tensor); !status.ok()) return status;
  const Bounds bounds = ActivationBounds(AttributesOf(call), out);
  if (MaximumOfBytes(*p, in.tensor, bounds, out.tensor)) return absl::OkStatus();
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  std::vector<int64_t> result(out.tensor.data.size() / ElementSize(out.tensor.type), bounds.low);
  ForEachWindow(*p, [&](int64_t to, const std::vector<int64_t>& taps, int64_t) {
    for (const int64_t tap : taps) result[to] = std::max(result[to], values[tap]);
    result[to] = std::min(result[to], bounds.high);
  });
  Store(out.tensor, [&](size_t i) { return result[i]; });
  return absl::OkStatus();
}

absl::Status AveragePool(const Profile& profile, KernelCall& call) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  absl::StatusOr<Pooling> p = PoolingOf(call);
  if (!p.ok()) return p.status();
  const bool integers =
      IsQuantizedInteger(in) && IsQuantizedInteger(out) && in.q.scales.size() == 1 && out.q.scales.size() == 1;
  PoolForm form = integers ? profile.average_pool : PoolForm::kNone;
  if (form == PoolForm::kFloat && BitWidth(in.tensor.type) != 8) form = PoolForm::kNone;
  if (form == PoolForm::kIntegerAway && !StoredAlike(in, out)) {
    return absl::UnimplementedError("an average whose input and output have different parameters");
  }
  // ONNX Runtime's integer kernel divides by the whole kernel even where ceil_mode lets it reach beyond the padding.
  const bool whole = form == PoolForm::kFloat && profile.family == Family::kOnnxRuntime;
  const int64_t kernel = p->axes[0].kernel * p->axes[1].kernel * p->axes[2].kernel;
  const auto divisor = [&](const std::vector<int64_t>& taps, int64_t with_padding) {
    return !p->count_padding ? static_cast<int64_t>(taps.size()) : whole ? kernel : with_padding;
  };
  if (form == PoolForm::kNone) {
    std::vector<float> values;
    if (absl::Status status = DequantizeToFloats(profile, in, values); !status.ok()) return status;
    absl::StatusOr<int64_t> count = ElementCount(p->dims);
    if (!count.ok()) return count.status();
    std::vector<float> result(static_cast<size_t>(*count), 0);
    ForEachWindow(*p, [&](int64_t to, const std::vector<int64_t>& taps, int64_t with_padding) {
      float sum = 0;
      for (const int64_t tap : taps) sum += values[tap];
      const int64_t by = divisor(taps, with_padding);
      result[to] = by == 0 ? 0 : sum / static_cast<float>(by);
    });
    return StoreFloats(profile, p->dims, result, out);
  }
  if (absl::Status status = Allocate(p->dims, out.tensor); !status.ok()) return status;
  const Bounds bounds = ActivationBounds(AttributesOf(call), out);
  const bool global = call.op == OpId::kGlobalAveragePool;
  const int64_t in_zero = in.q.zero_point(), zero_point = out.q.zero_point();
  const float in_scale = in.q.scales[0], out_scale = out.q.scales[0];
  const auto average_of = [&](int64_t sum, int64_t count) {
    const float average = static_cast<float>(sum) * (in_scale / (out_scale * static_cast<float>(count)));
    return RoundEvenClamped(average, bounds.low - zero_point, bounds.high - zero_point) + zero_point;
  };
  if (global && form == PoolForm::kFloat && !p->last && kernel > 0) {
    WithInteger(in.tensor.type, [&](auto zero) {
      const auto* values = in.tensor.as<decltype(zero)>().data();
      Store(out.tensor, [&](size_t plane) {
        int64_t sum = 0;
        for (int64_t i = 0; i < kernel; ++i) sum += values[static_cast<int64_t>(plane) * kernel + i];
        return average_of(sum - kernel * in_zero, kernel);
      });
    });
    return absl::OkStatus();
  }
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  std::vector<int64_t> result(out.tensor.data.size() / ElementSize(out.tensor.type));
  ForEachWindow(*p, [&](int64_t to, const std::vector<int64_t>& taps, int64_t with_padding) {
    const int64_t by = divisor(taps, with_padding);
    if (by == 0) {
      result[to] = zero_point;
      return;
    }
    if (form == PoolForm::kIntegerAway) {
      int64_t sum = 0;
      for (const int64_t tap : taps) sum += values[tap];
      result[to] = std::clamp(DivideAway(sum, by), bounds.low, bounds.high);
      return;
    }
    if (global) {
      int64_t sum = 0;
      for (const int64_t tap : taps) sum += values[tap] - in_zero;
      result[to] = average_of(sum, by);
      return;
    }
    // The zero point is inside the rounding.
    float average = 0;
    for (const int64_t tap : taps) average += in_scale * static_cast<float>(values[tap] - in_zero);
    average = average / static_cast<float>(by) / out_scale + static_cast<float>(zero_point);
    result[to] = RoundEvenClamped(average, bounds.low, bounds.high);
  });
  Store(out.tensor, [&](size_t i) { return result[i]; });
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
