// Element-wise functions of one operand.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/functions.h"
#include "rules/simulator/kernels/activation.h"
#include "rules/simulator/kernels/decomposed.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/fixed_point.h"
#include "rules/simulator/kernels/hard_swish.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/kernels/lookup.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

using Function = std::function<float(float)>;

float Gelu(float x) { return 0.5f * x * (1.0f + std::erf(x * static_cast<float>(M_SQRT1_2))); }

// LiteRT's form, which loses nothing where erf is near -1: another last bit in a table is another step of the output.
float GeluErfc(float x) { return 0.5f * x * std::erfc(x * static_cast<float>(-M_SQRT1_2)); }

float GeluTanh(float x) {
  constexpr float kRoot = 0.7978845608028654f;  // sqrt(2 / pi)
  return 0.5f * x * (1.0f + std::tanh(kRoot * (x + 0.044715f * x * x * x)));
}

float Sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// Empty: not a function of one operand that kernels have.
Function FunctionOf(const Profile& profile, OpId op, const Attributes& attributes) {
  const auto parameter = [&](absl::string_view name, double fallback) {
    return static_cast<float>(attributes.Float(name, fallback));
  };
  switch (op) {
    case OpId::kAbs:
      return [](float x) { return std::fabs(x); };
    case OpId::kNeg:
      return [](float x) { return -x; };
    case OpId::kExp:
      return [](float x) { return std::exp(x); };
    case OpId::kLog:
      return [](float x) { return std::log(x); };
    case OpId::kSqrt:
      if (profile.infinite_negative_roots) return [](float x) { return x < 0 ? INFINITY : std::sqrt(x); };
      return [](float x) { return std::sqrt(x); };
    case OpId::kRsqrt:
      if (profile.infinite_negative_roots) return [](float x) { return x < 0 ? INFINITY : 1.0f / std::sqrt(x); };
      return [](float x) { return 1.0f / std::sqrt(x); };
    case OpId::kReciprocal:
      return [](float x) { return 1.0f / x; };
    case OpId::kSquare:
      return [](float x) { return x * x; };
    case OpId::kErf:
      return [](float x) { return std::erf(x); };
    case OpId::kSin:
      return [](float x) { return std::sin(x); };
    case OpId::kCos:
      return [](float x) { return std::cos(x); };
    case OpId::kFloor:
      return [](float x) { return std::floor(x); };
    case OpId::kCeil:
      return [](float x) { return std::ceil(x); };
    case OpId::kRound: {
      const int64_t decimals = attributes.Int("decimals", 0);
      return [decimals](float x) { return RoundedTo(x, decimals); };
    }
    case OpId::kSign:
      return [](float x) { return static_cast<float>((x > 0) - (x < 0)); };
    case OpId::kIdentity:
    case OpId::kDropout:
      return [](float x) { return x; };
    case OpId::kRelu:
      return [](float x) { return std::max(x, 0.0f); };
    case OpId::kRelu6:
      return [](float x) { return std::clamp(x, 0.0f, 6.0f); };
    case OpId::kRelu1:
      return [](float x) { return std::clamp(x, -1.0f, 1.0f); };
    case OpId::kClamp: {
      const float low = parameter("min", -INFINITY), high = parameter("max", INFINITY);
      return [low, high](float x) { return std::min(std::max(x, low), high); };
    }
    case OpId::kLeakyRelu: {
      const float alpha = parameter("alpha", 0.01);
      return [alpha](float x) { return x >= 0 ? x : x * alpha; };
    }
    case OpId::kElu: {
      const float scale = parameter("scale", 1), input_scale = parameter("input_scale", 1),
                  alpha = parameter("alpha", 1) * scale;
      const bool expm1 = profile.family == Family::kDecomposed;
      return [=](float x) {
        if (x >= 0) return scale * x;
        return alpha * (expm1 ? std::expm1(input_scale * x) : std::exp(input_scale * x) - 1.0f);
      };
    }
    case OpId::kSelu: {
      const float alpha = parameter("alpha", 1.67326319217681884765625),
                  gamma = parameter("gamma", 1.05070102214813232421875);
      return [alpha, gamma](float x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); };
    }
    case OpId::kCelu: {
      const float alpha = parameter("alpha", 1);
      return [alpha](float x) { return std::max(x, 0.0f) + std::min(0.0f, alpha * std::expm1(x / alpha)); };
    }
    case OpId::kGelu:
      if (attributes.Text("approximate", "none") == "tanh") return GeluTanh;
      return profile.family == Family::kLiteRt ? GeluErfc : Gelu;
    case OpId::kFastGelu:
      return GeluTanh;
    case OpId::kQuickGelu: {
      const float alpha = parameter("alpha", 1.702);
      return [alpha](float x) { return x * Sigmoid(alpha * x); };
    }
    case OpId::kSilu:
      return [](float x) { return x * Sigmoid(x); };
    case OpId::kSwish: {
      const float alpha = parameter("alpha", 1);
      return [alpha](float x) { return x * Sigmoid(alpha * x); };
    }
    case OpId::kMish:
      return [](float x) { return x * std::tanh(std::log1p(std::exp(x))); };
    case OpId::kSoftplus: {
      const float beta = parameter("beta", 1), threshold = parameter("threshold", 20);
      return [beta, threshold](float x) { return Softplus(x, beta, threshold); };
    }
    case OpId::kSoftsign:
      return [](float x) { return x / (1.0f + std::fabs(x)); };
    case OpId::kSigmoid:
      return Sigmoid;
    case OpId::kLogSigmoid:
      return [](float x) { return std::min(x, 0.0f) - std::log1p(std::exp(-std::fabs(x))); };
    case OpId::kTanh:
      return [](float x) { return std::tanh(x); };
    case OpId::kHardSigmoid: {
      const float alpha = parameter("alpha", 0.2), beta = parameter("beta", 0.5);
      return [alpha, beta](float x) { return std::max(0.0f, std::min(1.0f, alpha * x + beta)); };
    }
    case OpId::kHardSwish:
      return [](float x) { return x * std::max(0.0f, std::min(1.0f, x * (1.0f / 6) + 0.5f)); };
    default:
      return nullptr;
  }
}

absl::Status InFloat(const Profile& profile, const QTensor& in, QTensor& out, const Function& function) {
  std::vector<float> values;
  if (absl::Status status = DequantizeToFloats(profile, in, values); !status.ok()) return status;
  for (float& value : values) value = function(value);
  if (profile.unary8_zero_point_inside && BitWidth(in.tensor.type) == 8) {
    Profile inside = profile;
    inside.quantize8 = QuantizeForm::kReciprocalFused;
    return StoreFloats(inside, in.tensor.dims, values, out);
  }
  return StoreFloats(profile, in.tensor.dims, values, out);
}

template <typename Integer>
absl::Status ForEach(const QTensor& in, QTensor& out, Integer function) {
  if (absl::Status status = Allocate(in.tensor.dims, out.tensor); !status.ok()) return status;
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type);
  Store(out.tensor, [&](size_t i) { return std::clamp<int64_t>(function(values[i]), low, high); });
  return absl::OkStatus();
}

// LiteRT, 8 bits: a table of all inputs; reciprocal, ties away. XNNPACK's have ties to even.
absl::Status ByTable(const QTensor& in, QTensor& out, bool even, const Function& function) {
  const float in_scale = in.q.scales[0], inverse = 1.0f / out.q.scales[0];
  const int64_t in_zero = in.q.zero_point(), zero_point = out.q.zero_point();
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type), first = MinOf(in.tensor.type);
  std::array<int64_t, 256> table{};
  for (int64_t i = 0; i < 256; ++i) {
    const float y = function(in_scale * static_cast<float>(first + i - in_zero)) * inverse;
    table[i] = RoundEvenClamped(even ? y : std::round(y), low - zero_point, high - zero_point) + zero_point;
  }
  return ForEach(in, out, [&](int64_t x) { return table[x - first]; });
}

absl::Status ByInterpolation(const QTensor& in, QTensor& out, const Function& function) {
  const auto table =
      InterpolatedTable::Make<float>(in.q.scales[0], static_cast<int32_t>(in.q.zero_point()), out.q.scales[0],
                                     static_cast<int32_t>(out.q.zero_point()), function);
  return ForEach(in, out, [&](int64_t x) { return table(static_cast<int16_t>(x)); });
}

// LiteRT's table of 65536 / (1 + exp(-i / 24)); these entries are one more than the rounded value.
constexpr uint8_t kOneMore[] = {4,  8,  12, 14, 15, 16, 17, 19, 20,  21,  22,  25,  27,  28, 29,
                                30, 31, 33, 34, 35, 37, 39, 40, 41,  43,  44,  45,  46,  49, 50,
                                54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};

const std::array<uint32_t, 256>& SigmoidTable() {
  static const auto* const table = [] {
    auto* t = new std::array<uint32_t, 256>;
    for (int i = 0; i < 256; ++i) (*t)[i] = static_cast<uint32_t>(std::nearbyint(65536 / (1 + std::exp(-i / 24.0))));
    for (const uint8_t i : kOneMore) ++(*t)[i];
    return t;
  }();
  return *table;
}

// LiteRT, 16 bits: that table over [-10.7, 10.7], interpolated; input scales are brought to 1 / (3 * 4096). Its
// optimized kernels take gemmlowp's functions where the input's scale is a power of two that fits them.
absl::Status SigmoidOrTanh16(const Profile& profile, OpId op, const QTensor& in, QTensor& out) {
  if (in.q.zero_point() != 0 || out.q.zero_point() != 0 || out.q.scales[0] != 1.0f / 32768) {
    return absl::UnimplementedError(absl::StrCat("LiteRT refuses an int16 output of scale ", out.q.scales[0],
                                                 " here: it must be 1/32768, without zero points"));
  }
  const bool tanh = op == OpId::kTanh;
  const float scale = in.q.scales[0];
  int64_t multiplier = 0;
  int shift = 0;
  int exponent = 0;
  const bool power_of_two = std::frexp(scale, &exponent) == 0.5f;
  const int log2 = exponent - 1 + 12;
  if (power_of_two && (log2 == 0 || (tanh && log2 == 1))) {
    if (!profile.reference_kernels) {
      return ForEach(in, out, [&](int64_t x) -> int64_t {
        const int16_t at = static_cast<int16_t>(std::clamp<int64_t>(x << log2, INT16_MIN, INT16_MAX));
        return tanh ? FixedTanh16(at) : FixedLogistic16(at);
      });
    }
    multiplier = int64_t{3} << log2;
  } else {
    double real = scale * 4096.0 * 3.0;
    while (real <= 32767.0 / 2.0 && shift <= 30) {
      ++shift;
      real *= 2;
    }
    if (!(real < 2147483648.0)) return absl::InvalidArgumentError(absl::StrCat("an input scale of ", scale));
    multiplier = static_cast<int64_t>(real);
  }
  const int64_t round = shift > 0 ? int64_t{1} << (shift - 1) : 0;
  const std::array<uint32_t, 256>& table = SigmoidTable();
  return ForEach(in, out, [&](int64_t x) -> int64_t {
    const int64_t at = (x * multiplier + round) >> shift;
    const int64_t magnitude = std::abs(at);
    const int bits = tanh ? 8 : 9;
    const int64_t index = magnitude >> bits;
    int64_t result = tanh ? int64_t{0xFFFF} << 8 : int64_t{0x7FFF} << 10;
    if (index < 255) {
      const int64_t a = table[index], b = table[index + 1];
      result = (a << bits) + (magnitude & ((1 << bits) - 1)) * (b - a);
    }
    if (tanh) {
      result = at >= 0 ? result - (1 << 23) + (1 << 7) : -result + (1 << 23) + (1 << 7) - 1;
      return result >> 8;
    }
    result = at >= 0 ? result + (1 << 9) : (int64_t{1} << 25) - result + (1 << 9) - 1;
    return result >> 10;
  });
}

absl::Status LeakyReluFixed(const Attributes& attributes, const QTensor& in, QTensor& out) {
  const float alpha = static_cast<float>(attributes.Float("alpha", 0.01));
  const double one = in.q.scales[0] / out.q.scales[0];
  const double slope = static_cast<double>(in.q.scales[0] * alpha / out.q.scales[0]);
  absl::StatusOr<Multiplier> above = MakeMultiplier(one), below = MakeMultiplier(std::fabs(slope));
  if (!above.ok()) return above.status();
  if (!below.ok()) return below.status();
  return ForEach(in, out, [&](int64_t x) {
    const int32_t value = static_cast<int32_t>(x - in.q.zero_point());
    const int32_t scaled = value >= 0  ? MultiplyDoubleRounding(value, *above)
                           : slope < 0 ? -MultiplyDoubleRounding(value, *below)
                                       : MultiplyDoubleRounding(value, *below);
    return scaled + out.q.zero_point();
  });
}

// XNNPACK: multipliers in 1/256, as in its conversion; one rounding, ties up.
absl::Status LeakyReluByShift(const Attributes& attributes, const QTensor& in, QTensor& out) {
  const float ratio = in.q.scales[0] / out.q.scales[0];
  const float alpha = static_cast<float>(attributes.Float("alpha", 0.01));
  if (!std::isfinite(ratio * alpha)) {
    return absl::InvalidArgumentError(absl::StrCat("a slope of ", alpha, " at a ratio of scales of ", ratio));
  }
  const int64_t above = std::lrint(std::clamp(256.0f * ratio, -1e6f, 1e6f));
  const int64_t below = std::lrint(std::clamp(256.0f * ratio * alpha, -1e6f, 1e6f));
  return ForEach(in, out, [&](int64_t x) {
    const int64_t value = x - in.q.zero_point();
    return ((value * (value >= 0 ? above : below) + 128) >> 8) + out.q.zero_point();
  });
}

// LiteRT: one rescaling, between the bounds in integers.
absl::Status ReluFixed(OpId op, const QTensor& in, QTensor& out) {
  absl::StatusOr<Multiplier> multiplier = MakeMultiplier(in.q.scales[0] / out.q.scales[0]);
  if (!multiplier.ok()) return multiplier.status();
  Attributes attributes;
  attributes.SetText("activation", op == OpId::kRelu6 ? "relu6" : op == OpId::kRelu1 ? "relu_n1_to_1" : "relu");
  const Bounds bounds = ActivationBounds(attributes, out);
  return ForEach(in, out, [&](int64_t x) {
    const int64_t value = MultiplyDoubleRounding(static_cast<int32_t>(x - in.q.zero_point()), *multiplier);
    return std::clamp(value + out.q.zero_point(), bounds.low, bounds.high);
  });
}

absl::Status AbsFixed(const QTensor& in, QTensor& out) {
  const bool rescale = in.q.scales[0] != out.q.scales[0];
  absl::StatusOr<Multiplier> multiplier = MakeMultiplier(in.q.scales[0] / out.q.scales[0]);
  if (!multiplier.ok()) return multiplier.status();
  return ForEach(in, out, [&](int64_t x) {
    const int32_t value = static_cast<int32_t>(std::abs(x - in.q.zero_point()));
    return (rescale ? MultiplyDoubleRounding(value, *multiplier) : value) + out.q.zero_point();
  });
}

// LiteRT: the root in steps of the output is cut off.
absl::Status SqrtCutOff(const QTensor& in, QTensor& out) {
  const int64_t zero_point = in.q.zero_point();
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  if (std::any_of(values.begin(), values.end(), [&](int64_t x) { return x < zero_point; })) {
    return absl::UnimplementedError("LiteRT refuses the square root of a negative number");
  }
  return ForEach(in, out, [&](int64_t x) {
    const float real = in.q.scales[0] * static_cast<float>(x - zero_point);
    return RoundEvenClamped(std::trunc(std::sqrt(real) / out.q.scales[0]), INT32_MIN, INT32_MAX) + out.q.zero_point();
  });
}

// LiteRT: 20 bits of the root's inverse, then by a multiplier. Of zero it is the largest there is.
absl::Status RsqrtFixed(const QTensor& in, QTensor& out) {
  constexpr int kBits = 20;
  absl::StatusOr<Multiplier> multiplier = MakeMultiplier(1.0 / (std::sqrt(in.q.scales[0]) * out.q.scales[0]));
  if (!multiplier.ok()) return multiplier.status();
  const Multiplier rescale{multiplier->mantissa, multiplier->shift - kBits};
  const int64_t zero_point = in.q.zero_point();
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  if (std::any_of(values.begin(), values.end(), [&](int64_t x) { return x < zero_point; })) {
    return absl::UnimplementedError("LiteRT refuses the inverse root of a negative number");
  }
  return ForEach(in, out, [&](int64_t x) {
    if (x == zero_point) return MaxOf(out.tensor.type);
    const double root = std::sqrt(static_cast<double>(x - zero_point));
    const auto inverse = static_cast<int32_t>(std::round(std::ldexp(1.0, kBits) / root));
    return MultiplyDoubleRounding(inverse, rescale) + out.q.zero_point();
  });
}

absl::Status HardSwishFixed(const QTensor& in, QTensor& out) {
  const absl::StatusOr<FixedHardSwish> function =
      FixedHardSwish::Make(in.q.scales[0], in.q.zero_point(), out.q.scales[0], out.q.zero_point());
  if (!function.ok()) return function.status();
  return ForEach(in, out, *function);
}

}  // namespace

absl::Status Unary(const Profile& profile, KernelCall& call) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  const Attributes& attributes = AttributesOf(call);
  const Function function = FunctionOf(profile, call.op, attributes);
  if (!function) return absl::UnimplementedError("no kernel for this operator");
  const bool integers = IsQuantizedInteger(in) && IsQuantizedInteger(out) && in.q.scales.size() == 1 &&
                        out.q.scales.size() == 1 && in.tensor.type == out.tensor.type;
  const bool bytes = integers && BitWidth(in.tensor.type) == 8;
  const bool words = integers && in.tensor.type == v1::DATA_TYPE_INT16;
  const bool litert = profile.family == Family::kLiteRt || profile.family == Family::kTosa;
  const bool xnnpack = bytes && (profile.xnnpack_delegate || profile.family == Family::kXnnpack);
  if (!litert && !xnnpack) return InFloat(profile, in, out, function);
  if (!bytes && !words) return InFloat(profile, in, out, function);
  switch (call.op) {
    case OpId::kLeakyRelu:
      return xnnpack ? LeakyReluByShift(attributes, in, out) : LeakyReluFixed(attributes, in, out);
    case OpId::kRelu:
    case OpId::kRelu6:
    case OpId::kRelu1:
      return ReluFixed(call.op, in, out);
    case OpId::kAbs:
      return AbsFixed(in, out);
    case OpId::kNeg:
      // The stored integer is negated; its scale and zero point are not looked at.
      return ForEach(in, out, [&](int64_t x) { return x == MinOf(in.tensor.type) ? x : -x; });
    case OpId::kSigmoid:
      if (bytes && !xnnpack && out.q.scales[0] != 1.0f / 256) {
        return absl::UnimplementedError(
            absl::StrCat("LiteRT refuses an output scale of ", out.q.scales[0], " here: it must be 1/256"));
      }
      [[fallthrough]];
    case OpId::kTanh:
      if (words) return SigmoidOrTanh16(profile, call.op, in, out);
      return ByTable(in, out, xnnpack, function);
    case OpId::kRsqrt:
      if (words) {
        const float most = 32767 * out.q.scales[0];
        return ByInterpolation(in, out, [&](float x) { return x <= 0 ? most : 1.0f / std::sqrt(x); });
      }
      if (profile.family == Family::kLiteRt) return RsqrtFixed(in, out);
      break;
    case OpId::kLog: {
      const float least = static_cast<float>(MinOf(out.tensor.type) - out.q.zero_point()) * out.q.scales[0];
      const Function log = [&](float x) { return x <= 0 ? least : std::log(x); };
      return words ? ByInterpolation(in, out, log) : ByTable(in, out, xnnpack, log);
    }
    case OpId::kExp:
    case OpId::kGelu:
      return words ? ByInterpolation(in, out, function) : ByTable(in, out, xnnpack, function);
    case OpId::kElu:
      if (bytes) return ByTable(in, out, xnnpack, function);
      break;
    case OpId::kSqrt:
      if (profile.family == Family::kLiteRt) return SqrtCutOff(in, out);
      break;
    case OpId::kHardSwish:
      if (bytes && profile.family == Family::kLiteRt) return HardSwishFixed(in, out);
      break;
    default:
      break;
  }
  return InFloat(profile, in, out, function);
}

}  // namespace quantgate::simulator
