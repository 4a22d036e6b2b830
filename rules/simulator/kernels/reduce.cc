// Reductions along axes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernels/decomposed.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

struct Reduction {
  std::vector<int64_t> dims;  // of the output
  std::vector<int64_t> to;    // for each input element, its output element
  int64_t count = 1;          // elements that meet in one
  int64_t outputs = 1;
};

absl::StatusOr<Reduction> ReductionOf(const KernelCall& call) {
  const std::vector<int64_t>& dims = call.inputs[0]->tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  const bool keep = attributes.Int("keepdims", 1) != 0;
  const bool all = attributes.Ints("axes").empty() && attributes.Int("noop_with_empty_axes", 0) == 0;
  std::vector<bool> reduced(dims.size(), all);
  for (const int64_t stated : attributes.Ints("axes")) {
    absl::StatusOr<int> axis = NormalizedAxis(stated, dims.size());
    if (!axis.ok()) return axis.status();
    reduced[*axis] = true;
  }
  Reduction r;
  std::vector<int64_t> kept = dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (reduced[d]) {
      r.count *= dims[d];
      kept[d] = 1;
      if (keep) r.dims.push_back(1);
    } else {
      r.outputs *= dims[d];
      r.dims.push_back(dims[d]);
    }
  }
  // The index of broadcasting the kept shape back to the input's.
  r.to = BroadcastIndex(kept, dims);
  if (r.to.empty()) {
    absl::StatusOr<int64_t> count = ElementCount(dims);
    if (!count.ok()) return count.status();
    r.to.resize(static_cast<size_t>(*count));
    for (size_t i = 0; i < r.to.size(); ++i) r.to[i] = static_cast<int64_t>(i);
  }
  return r;
}

float Start(OpId op) {
  switch (op) {
    case OpId::kReduceMax:
      return -INFINITY;
    case OpId::kReduceMin:
      return INFINITY;
    case OpId::kReduceProd:
      return 1;
    default:
      return 0;
  }
}

absl::Status InFloat(const Profile& profile, KernelCall& call, const Reduction& r) {
  std::vector<float> values;
  if (absl::Status status = DequantizeToFloats(profile, *call.inputs[0], values); !status.ok()) return status;
  std::vector<float> out(static_cast<size_t>(r.outputs), Start(call.op));
  for (size_t i = 0; i < values.size(); ++i) {
    float& to = out[r.to[i]];
    const float x = values[i];
    switch (call.op) {
      case OpId::kReduceMax:
        to = std::max(to, x);
        break;
      case OpId::kReduceMin:
        to = std::min(to, x);
        break;
      case OpId::kReduceProd:
        to *= x;
        break;
      case OpId::kReduceL1:
        to += std::fabs(x);
        break;
      case OpId::kReduceL2:
      case OpId::kReduceSumSquare:
        to += x * x;
        break;
      default:
        to += x;
    }
  }
  for (float& x : out) {
    if (call.op == OpId::kReduceMean) x /= static_cast<float>(r.count);
    if (call.op == OpId::kReduceL2) x = std::sqrt(x);
  }
  return StoreFloats(profile, r.dims, out, call.outputs[0]);
}

std::vector<int64_t> Sums(const KernelCall& call, const Reduction& r, int64_t zero_point) {
  std::vector<int64_t> sums(static_cast<size_t>(r.outputs), 0);
  const std::vector<int64_t> values = Load<int64_t>(call.inputs[0]->tensor);
  for (size_t i = 0; i < values.size(); ++i) sums[r.to[i]] += values[i] - zero_point;
  return sums;
}

template <typename Function>
absl::Status StoreEach(KernelCall& call, const Reduction& r, Function function) {
  QTensor& out = call.outputs[0];
  if (absl::Status status = Allocate(r.dims, out.tensor); !status.ok()) return status;
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type);
  Store(out.tensor, [&](size_t i) { return std::clamp<int64_t>(function(i), low, high); });
  return absl::OkStatus();
}

// LiteRT: the sum, rescaled once; the mean's division is in the multiplier, truncated.
absl::Status MeanOrSumFixed(KernelCall& call, const Reduction& r) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  absl::StatusOr<Multiplier> made =
      MakeMultiplier(static_cast<double>(in.q.scales[0]) / static_cast<double>(out.q.scales[0]));
  if (!made.ok()) return made.status();
  Multiplier multiplier = *made;
  if (call.op == OpId::kReduceMean && r.count > 0) {
    int shift = 63 - __builtin_clzll(static_cast<uint64_t>(r.count));
    shift = std::min({shift, 32, 31 + multiplier.shift});
    multiplier.mantissa = static_cast<int32_t>((static_cast<int64_t>(multiplier.mantissa) << shift) / r.count);
    multiplier.shift -= shift;
  }
  const std::vector<int64_t> sums = Sums(call, r, in.q.zero_point());
  return StoreEach(call, r,
                   [&](size_t i) { return MultiplyDoubleRounding(Wrap32(sums[i]), multiplier) + out.q.zero_point(); });
}

// LiteRT's optimized mean of 8 bits over height and width: the zero points are one rounded bias.
absl::Status MeanWithBias(KernelCall& call, const Reduction& r) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  const float input_scale = in.q.scales[0], output_scale = out.q.scales[0];
  float shifted = static_cast<float>(in.q.zero_point()) * input_scale / output_scale;
  shifted = shifted > 0 ? shifted + 0.5f : shifted - 0.5f;
  const int64_t bias = out.q.zero_point() - static_cast<int64_t>(std::clamp(shifted, -1e9f, 1e9f));
  absl::StatusOr<Multiplier> multiplier = MakeMultiplier(input_scale / (static_cast<float>(r.count) * output_scale));
  if (!multiplier.ok()) return multiplier.status();
  const std::vector<int64_t> sums = Sums(call, r, 0);
  return StoreEach(call, r, [&](size_t i) { return MultiplyDoubleRounding(Wrap32(sums[i]), *multiplier) + bias; });
}

// XNNPACK, and LiteRT's optimized sum: float32, ties to even.
absl::Status MeanOrSumFloat(KernelCall& call, const Reduction& r) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  const float scale = in.q.scales[0] / out.q.scales[0];
  const std::vector<int64_t> sums = Sums(call, r, in.q.zero_point());
  const int64_t low = MinOf(out.tensor.type) - out.q.zero_point(), high = MaxOf(out.tensor.type) - out.q.zero_point();
  return StoreEach(call, r, [&](size_t i) {
    return RoundEvenClamped(static_cast<float>(sums[i]) * scale, low, high) + out.q.zero_point();
  });
}

// XNNPACK's mean: both zero points are inside the rounding.
absl::Status MeanWithZeroPoint(KernelCall& call, const Reduction& r) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  const float scale = in.q.scales[0] / out.q.scales[0] * (1.0f / static_cast<float>(r.count));
  const float zero_point =
      static_cast<float>(out.q.zero_point()) - static_cast<float>(r.count * in.q.zero_point()) * scale;
  const std::vector<int64_t> sums = Sums(call, r, 0);
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type);
  return StoreEach(
      call, r, [&](size_t i) { return RoundEvenClamped(static_cast<float>(sums[i]) * scale + zero_point, low, high); });
}

}  // namespace

absl::Status Reduce(const Profile& profile, KernelCall& call) {
  const QTensor& in = *call.inputs[0];
  const QTensor& out = call.outputs[0];
  absl::StatusOr<Reduction> r = ReductionOf(call);
  if (!r.ok()) return r.status();
  const bool integers = IsQuantizedInteger(in) && IsQuantizedInteger(out) && in.q.scales.size() == 1 &&
                        out.q.scales.size() == 1 && in.tensor.type == out.tensor.type;
  if (!integers || r->count == 0) return InFloat(profile, call, *r);
  const bool extreme = call.op == OpId::kReduceMax || call.op == OpId::kReduceMin;
  if (extreme && in.q.scales == out.q.scales && in.q.zero_point() == out.q.zero_point()) {
    const bool larger = call.op == OpId::kReduceMax;
    std::vector<int64_t> best(static_cast<size_t>(r->outputs), larger ? INT64_MIN : INT64_MAX);
    const std::vector<int64_t> values = Load<int64_t>(in.tensor);
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t& to = best[r->to[i]];
      to = larger ? std::max(to, values[i]) : std::min(to, values[i]);
    }
    return StoreEach(call, *r, [&](size_t i) { return best[i]; });
  }
  const bool linear = call.op == OpId::kReduceMean || call.op == OpId::kReduceSum;
  const bool bytes = BitWidth(in.tensor.type) == 8;
  const absl::Span<const int64_t> axes = AttributesOf(call).Ints("axes");
  const bool image = in.tensor.dims.size() == 4 && bytes && AttributesOf(call).Int("keepdims", 1) != 0 &&
                     axes.size() == 2 && ((axes[0] == 1 && axes[1] == 2) || (axes[0] == 2 && axes[1] == 1));
  if (call.op == OpId::kReduceMean && image && profile.family == Family::kLiteRt && !profile.reference_kernels &&
      !profile.xnnpack_delegate) {
    return MeanWithBias(call, *r);
  }
  if (linear && bytes && (profile.xnnpack_delegate || profile.family == Family::kXnnpack)) {
    return call.op == OpId::kReduceMean ? MeanWithZeroPoint(call, *r) : MeanOrSumFloat(call, *r);
  }
  if (linear && (profile.family == Family::kLiteRt || profile.family == Family::kTosa)) {
    // The optimized kernels add in float.
    if (call.op == OpId::kReduceSum && profile.family == Family::kLiteRt && !profile.reference_kernels) {
      return MeanOrSumFloat(call, *r);
    }
    return MeanOrSumFixed(call, *r);
  }
  return InFloat(profile, call, *r);
}

}  // namespace quantgate::simulator
