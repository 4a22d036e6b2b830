// Between floats and integers, and between integers of two scales.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "rules/graph/small_float.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernels/byte_elements.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/kernels.h"

namespace quantgate::simulator {
namespace {

// What x86-64 makes of a float that no int32 holds.
int64_t TruncatedTo32Bits(float x) {
  return x >= -2147483648.0f && x < 2147483648.0f ? static_cast<int32_t>(x) : INT32_MIN;
}

int64_t QuantizeOne(QuantizeForm form, float x, float scale, int64_t zero_point, int64_t low, int64_t high) {
  switch (form) {
    case QuantizeForm::kDivideEven:
      break;
    case QuantizeForm::kDivideAway:
      // The conversion comes before the clamp: out-of-range floats wrap.
      return std::clamp<int64_t>(Wrap32(TruncatedTo32Bits(std::round(x / scale)) + zero_point), low, high);
    case QuantizeForm::kReciprocalEven:
      return RoundEvenClamped(x * (1.0f / scale), low - zero_point, high - zero_point) + zero_point;
    case QuantizeForm::kReciprocalWraps:
      return std::clamp<int64_t>(Wrap32(TruncatedTo32Bits(std::nearbyint(x * (1.0f / scale))) + zero_point), low, high);
    case QuantizeForm::kReciprocalUp:
      return RoundEvenClamped(std::floor(x * (1.0f / scale) + 0.5f), low - zero_point, high - zero_point) + zero_point;
    case QuantizeForm::kReciprocalFused:
      return RoundEvenClamped(std::fma(x, 1.0f / scale, static_cast<float>(zero_point)), low, high);
  }
  return RoundEvenClamped(x / scale, low - zero_point, high - zero_point) + zero_point;
}

// What is left after blocks of eight, in LiteRT's optimized kernel: divided in double, ties away from zero.
int64_t QuantizeTail(float x, float scale, int64_t zero_point, int64_t low, int64_t high) {
  const double rounded = std::round(static_cast<double>(x) / static_cast<double>(scale));
  const bool fits = rounded >= -2147483648.0 && rounded < 2147483648.0;
  return std::clamp<int64_t>(Wrap32((fits ? static_cast<int64_t>(rounded) : INT32_MIN) + zero_point), low, high);
}

// XNNPACK: the ratio of the scales in 1/256, one rounding, ties up.
absl::Status RequantizeByShift(const QTensor& in, QTensor& out) {
  const float ratio = in.q.scales[0] / out.q.scales[0];
  if (in.q.scales.size() != 1 || out.q.scales.size() != 1 || !(ratio >= 1.0f / 256) || !(ratio <= 128)) {
    return absl::UnimplementedError(absl::StrCat("XNNPACK does not requantize by ", ratio));
  }
  if (absl::Status status = AllocateUnset(in.tensor.dims, out.tensor); !status.ok()) return status;
  const int64_t multiplier = std::lrint(256.0f * ratio);
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type);
  Store(out.tensor, [&](size_t i) {
    const int64_t scaled = ((values[i] - in.q.zero_point()) * multiplier + 128) >> 8;
    return std::clamp(scaled + out.q.zero_point(), low, high);
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status QuantizeFloats(const Profile& profile, absl::Span<const float> values, QTensor& out) {
  if (!IsQuantizedInteger(out)) return absl::UnimplementedError("quantizing into something that is not integers");
  if (ElementSize(out.tensor.type) == 8) {
    return absl::UnimplementedError(absl::StrCat("quantizing into ", DataTypeName(out.tensor.type)));
  }
  if (absl::Status status = AllocateUnset(out.tensor.dims, out.tensor); !status.ok()) return status;
  if (absl::Status status = Validate(out); !status.ok()) return status;
  const size_t room = out.tensor.data.size() / ElementSize(out.tensor.type);
  if (values.size() != room) {
    return absl::InvalidArgumentError(absl::StrCat(values.size(), " values for ", room, " elements"));
  }
  const ScaleIndex scale_of(out.q, out.tensor.dims);
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type);
  const QuantizeForm form = BitWidth(out.tensor.type) <= 8 ? profile.quantize8 : profile.quantize16;
  if (form == QuantizeForm::kDivideEven && BitWidth(out.tensor.type) == 8 && scale_of.per_tensor()) {
    QuantizeBytes(values, out.q.scales[0], static_cast<int32_t>(out.q.zero_point()), static_cast<int32_t>(low),
                  static_cast<int32_t>(high), ByteSign(IsSigned(out.tensor.type)), out.tensor.as<uint8_t>().data());
    return absl::OkStatus();
  }
  const size_t in_blocks = form == QuantizeForm::kReciprocalWraps ? room / 8 * 8 : room;
  Store(out.tensor, [&](size_t i) {
    const size_t s = scale_of(i);
    if (i >= in_blocks) return QuantizeTail(values[i], out.q.scales[s], out.q.zero_point(s), low, high);
    return QuantizeOne(form, values[i], out.q.scales[s], out.q.zero_point(s), low, high);
  });
  return absl::OkStatus();
}

absl::Status DequantizeTo(const Profile& profile, const QTensor& in, absl::Span<float> out, size_t first) {
  const Tensor& tensor = in.tensor;
  const size_t width = ElementSize(tensor.type);
  const size_t size = width == 0 ? 0 : tensor.data.size() / width;
  if (width == 0 || first > size || out.size() > size - first) {
    return absl::InvalidArgumentError(
        absl::StrCat(out.size(), " elements from ", first, " on out of ", tensor.data.size(), " bytes"));
  }
  switch (tensor.type) {
    case v1::DATA_TYPE_FLOAT32: {
      std::copy_n(tensor.as<float>().begin() + static_cast<int64_t>(first), out.size(), out.begin());
      return absl::OkStatus();
    }
    case v1::DATA_TYPE_FLOAT64: {
      const absl::Span<const double> values = tensor.as<double>().subspan(first);
      for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(values[i]);
      return absl::OkStatus();
    }
    case v1::DATA_TYPE_FLOAT16: {
      const absl::Span<const uint16_t> values = tensor.as<uint16_t>().subspan(first);
      const absl::Span<const double> reals = SmallFloatValues(v1::DATA_TYPE_FLOAT16);
      for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(reals[values[i]]);
      return absl::OkStatus();
    }
    default:
      break;
  }
  if (absl::Status status = CheckZeroPoints(in.q); !status.ok()) return status;
  const ScaleIndex scale_of(in.q, tensor.dims);
  const bool fused = profile.dequantize == DequantizeForm::kScaleFused;
  const bool small = std::all_of(in.q.zero_points.begin(), in.q.zero_points.end(),
                                 [](int64_t zero_point) { return std::abs(zero_point) < (1 << 30); });
  if (BitWidth(tensor.type) == 8 && IsQuantizedInteger(in) && !fused && in.q.block == 0 && small) {
    // Runs of one scale.
    const size_t run = scale_of.per_tensor() ? size : static_cast<size_t>(scale_of.run());
    const std::vector<int64_t>& zero_points = in.q.zero_points;
    const bool each = zero_points.empty() || zero_points.size() == in.q.scales.size();
    if (first == 0 && out.size() == size && !scale_of.per_tensor() && run * in.q.scales.size() == size && each) {
      DequantizeRuns(tensor.as<uint8_t>().data(), static_cast<int64_t>(run), in.q.scales, zero_points,
                     ByteSign(IsSigned(tensor.type)), out.data());
      return absl::OkStatus();
    }
    for (size_t i = 0, some = 0; i < out.size(); i += some) {
      some = std::min(out.size() - i, run - (first + i) % run);
      const size_t s = scale_of(first + i);
      DequantizeBytes(tensor.as<uint8_t>().data() + first + i, static_cast<int64_t>(some), in.q.scales[s],
                      static_cast<int32_t>(in.q.zero_point(s)), ByteSign(IsSigned(tensor.type)), out.data() + i);
    }
    return absl::OkStatus();
  }
  const bool known = WithInteger(tensor.type, [&](auto zero) {
    const auto values = tensor.as<decltype(zero)>().subspan(first);
    if (!in.q.quantized()) {
      for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(static_cast<int64_t>(values[i]));
      return;
    }
    const size_t in_blocks = fused ? size / 8 * 8 : 0;
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t s = scale_of(first + i);
      const float scale = in.q.scales[s];
      const int64_t zero_point = in.q.zero_point(s);
      const auto value = static_cast<int64_t>(values[i]);  // NOLINT(bugprone-signed-char-misuse): a number
      out[i] = first + i < in_blocks ? scale * static_cast<float>(value) - scale * static_cast<float>(zero_point)
                                     : scale * static_cast<float>(value - zero_point);
    }
  });
  if (!known && !out.empty()) {
    return absl::UnimplementedError(absl::StrCat("no kernel reads ", DataTypeName(tensor.type)));
  }
  return absl::OkStatus();
}

bool RoundFloats(const Profile& profile, v1::DataType type, const Quantization& q, int64_t low, int64_t high,
                 absl::Span<float> values) {
  low = std::max(low, MinOf(type));
  high = std::min(high, MaxOf(type));
  if ((type != v1::DATA_TYPE_INT8 && type != v1::DATA_TYPE_UINT8) || profile.quantize8 != QuantizeForm::kDivideEven ||
      profile.dequantize == DequantizeForm::kScaleFused || q.scales.size() != 1 || q.block > 0 || low > high ||
      q.zero_point() < MinOf(type) || q.zero_point() > MaxOf(type) || !(q.scales[0] > 0) ||
      !std::isfinite(q.scales[0])) {
    return false;
  }
  RoundToBytes(values, q.scales[0], static_cast<int32_t>(q.zero_point()), static_cast<int32_t>(low),
               static_cast<int32_t>(high));
  return true;
}

absl::Status DequantizeToFloats(const Profile& profile, const QTensor& in, std::vector<float>& out) {
  const size_t width = ElementSize(in.tensor.type);
  if (width == 0) return absl::UnimplementedError(absl::StrCat("no kernel reads ", DataTypeName(in.tensor.type)));
  out.resize(in.tensor.data.size() / width);
  return DequantizeTo(profile, in, absl::MakeSpan(out));
}

absl::Status Quantize(const Profile& profile, KernelCall& call) {
  std::vector<float> values;
  const QTensor& in = *call.inputs[0];
  if (in.q.quantized()) return Requantize(profile, call);
  if (!IsFloat(in.tensor.type)) return absl::UnimplementedError("quantizing what is not float");
  if (absl::Status status = DequantizeToFloats(profile, in, values); !status.ok()) return status;
  call.outputs[0].tensor.dims = in.tensor.dims;
  return QuantizeFloats(profile, values, call.outputs[0]);
}

absl::Status Dequantize(const Profile& profile, KernelCall& call) {
  Tensor& out = call.outputs[0].tensor;
  if (out.type != v1::DATA_TYPE_FLOAT32) {
    return absl::UnimplementedError(absl::StrCat("dequantizing to ", DataTypeName(out.type)));
  }
  if (absl::Status status = AllocateUnset(call.inputs[0]->tensor.dims, out); !status.ok()) return status;
  return DequantizeTo(profile, *call.inputs[0], out.as<float>());
}

absl::Status Requantize(const Profile& profile, KernelCall& call) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  if (!IsQuantizedInteger(in) || !IsQuantizedInteger(out)) {
    return absl::UnimplementedError("requantizing something that is not quantized integers");
  }
  out.tensor.dims = in.tensor.dims;
  const bool bytes = BitWidth(in.tensor.type) == 8 && BitWidth(out.tensor.type) == 8;
  // The delegate leaves a change of type to LiteRT.
  const bool delegated = profile.xnnpack_delegate && in.tensor.type == out.tensor.type;
  if (bytes && (delegated || profile.family == Family::kXnnpack)) return RequantizeByShift(in, out);
  const bool integer = profile.family == Family::kLiteRt || profile.family == Family::kTosa;
  if (!integer) {
    std::vector<float> values;
    if (absl::Status status = DequantizeToFloats(profile, in, values); !status.ok()) return status;
    return QuantizeFloats(profile, values, out);
  }
  if (in.q.scales.size() != 1 || out.q.scales.size() != 1) {
    return absl::UnimplementedError("requantizing per channel");
  }
  absl::StatusOr<Multiplier> multiplier =
      MakeMultiplier(static_cast<double>(in.q.scales[0]) / static_cast<double>(out.q.scales[0]));
  if (!multiplier.ok()) return multiplier.status();
  if (absl::Status status = AllocateUnset(in.tensor.dims, out.tensor); !status.ok()) return status;
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type);
  const int64_t from = in.q.zero_point(), to = out.q.zero_point();
  Store(out.tensor, [&](size_t i) {
    const int64_t scaled = MultiplyDoubleRounding(Wrap32(values[i] - from), *multiplier);
    return std::clamp(scaled + to, low, high);
  });
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
