// Element-wise operators of two operands.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernels/activation.h"
#include "rules/simulator/kernels/byte_elements.h"
#include "rules/simulator/kernels/decomposed.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/fixed_point.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/kernels/operands.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

using FloatFunction = float (*)(float, float);

FloatFunction FloatOf(OpId op) {
  switch (op) {
    case OpId::kAdd:
      return [](float a, float b) { return a + b; };
    case OpId::kSub:
      return [](float a, float b) { return a - b; };
    case OpId::kMul:
      return [](float a, float b) { return a * b; };
    case OpId::kDiv:
      return [](float a, float b) { return a / b; };
    case OpId::kPow:
      return [](float a, float b) { return std::pow(a, b); };
    case OpId::kMaximum:
      return [](float a, float b) { return std::max(a, b); };
    case OpId::kMinimum:
      return [](float a, float b) { return std::min(a, b); };
    case OpId::kSquaredDifference:
      return [](float a, float b) { return (a - b) * (a - b); };
    case OpId::kPRelu:
      return [](float a, float b) { return a < 0 ? a * b : a; };
    case OpId::kFloorDiv:
      return [](float a, float b) { return std::floor(a / b); };
    default:
      return nullptr;
  }
}

absl::Status InFloat(const Profile& profile, KernelCall& call, const Operands& operands, FloatFunction function) {
  std::vector<float> a, b;
  if (absl::Status status = DequantizeToFloats(profile, *call.inputs[0], a); !status.ok()) return status;
  if (absl::Status status = DequantizeToFloats(profile, *call.inputs[1], b); !status.ok()) return status;
  absl::StatusOr<int64_t> count = ElementCount(operands.dims);
  if (!count.ok()) return count.status();
  std::vector<float> out(static_cast<size_t>(*count));
  const Attributes& attributes = AttributesOf(call);
  for (size_t i = 0; i < out.size(); ++i) out[i] = Activated(attributes, function(a[operands.a(i)], b[operands.b(i)]));
  QTensor& to = call.outputs[0];
  if (call.op == OpId::kPRelu && profile.prelu16_overflows_to_lowest && IsQuantizedInteger(to) &&
      BitWidth(to.tensor.type) == 16 && to.q.scales.size() == 1 && call.inputs[0]->q.scales.size() == 1 &&
      call.inputs[0]->q.scales[0] <= to.q.scales[0]) {
    const float highest = (static_cast<float>(MaxOf(to.tensor.type) - to.q.zero_point()) + 0.5f) * to.q.scales[0];
    for (float& value : out) value = value >= highest ? -INFINITY : value;
  }
  return StoreFloats(profile, operands.dims, out, to);
}

// What an integer kernel works on: centered operands, bounds and zero point of the output.
struct Integers {
  const Operands& operands;
  const std::vector<int64_t> a, b;
  float a_scale, b_scale, out_scale;
  int64_t a_zero, b_zero, zero_point;
  Bounds bounds;
  bool bytes;
};

template <typename Function>
absl::Status ForEach(KernelCall& call, const Integers& in, Function function) {
  Tensor& out = call.outputs[0].tensor;
  if (absl::Status status = Allocate(in.operands.dims, out); !status.ok()) return status;
  Store(out, [&](size_t i) {
    return std::clamp<int64_t>(function(in.a[in.operands.a(i)], in.b[in.operands.b(i)]), in.bounds.low, in.bounds.high);
  });
  return absl::OkStatus();
}

// LiteRT: each operand, then the sum, by 31-bit multipliers.
absl::Status AddThreeRoundings(KernelCall& call, const Integers& in, int sign) {
  const int left = in.bytes ? 20 : 15;
  const double twice = 2.0 * std::max(in.a_scale, in.b_scale);
  absl::StatusOr<Multiplier> a = MakeMultiplier(in.a_scale / twice), b = MakeMultiplier(in.b_scale / twice);
  absl::StatusOr<Multiplier> out = MakeMultiplier(twice / ((1 << left) * static_cast<double>(in.out_scale)));
  for (const auto& multiplier : {a, b, out}) {
    if (!multiplier.ok()) return multiplier.status();
  }
  return ForEach(call, in, [&](int64_t x, int64_t y) {
    const int32_t p = MultiplyDoubleRounding(Wrap32((x - in.a_zero) * (int64_t{1} << left)), *a);
    const int32_t q = MultiplyDoubleRounding(Wrap32((y - in.b_zero) * (int64_t{1} << left)), *b);
    return MultiplyDoubleRounding(Wrap32(int64_t{p} + sign * int64_t{q}), *out) + in.zero_point;
  });
}

// XNNPACK: 21-bit multipliers that share a shift; the sum is rounded once, ties up.
absl::Status AddSharedShift(KernelCall& call, const Integers& in, int sign) {
  const float ra = in.a_scale / in.out_scale, rb = in.b_scale / in.out_scale;
  const float larger = std::max(ra, rb);
  if (!(larger >= 1.0f / 1024) || !(larger < 256)) {
    return absl::UnimplementedError(absl::StrCat("XNNPACK does not add at a ratio of scales of ", larger));
  }
  const int shift = 20 - std::ilogb(larger);
  const int64_t ma = std::lrint(std::ldexp(ra, shift)), mb = sign * std::lrint(std::ldexp(rb, shift));
  const int64_t bias = (int64_t{1} << (shift - 1)) - ma * in.a_zero - mb * in.b_zero;
  return ForEach(call, in, [&](int64_t x, int64_t y) { return ((bias + x * ma + y * mb) >> shift) + in.zero_point; });
}

// ONNX Runtime on x86-64: the zero points are inside the rounding.
absl::Status AddFused(KernelCall& call, const Integers& in) {
  const float ra = in.a_scale / in.out_scale, rb = in.b_scale / in.out_scale;
  const float fixed =
      static_cast<float>(in.zero_point) - (ra * static_cast<float>(in.a_zero) + rb * static_cast<float>(in.b_zero));
  return ForEach(call, in, [&](int64_t x, int64_t y) {
    return RoundEvenClamped(std::fma(static_cast<float>(x), ra, std::fma(static_cast<float>(y), rb, fixed)),
                            in.bounds.low, in.bounds.high);
  });
}

// The same on bytes of one shape. False: it is not of that form.
bool AddBytesFused(const QTensor& a, const QTensor& b, const Attributes& attributes, QTensor& out) {
  const v1::DataType types[] = {a.tensor.type, b.tensor.type, out.tensor.type};
  if (a.tensor.dims != b.tensor.dims) return false;
  if (!std::all_of(std::begin(types), std::end(types), [](v1::DataType type) { return BitWidth(type) == 8; })) {
    return false;
  }
  ByteSum sum;
  sum.a_factor = a.q.scales[0] / out.q.scales[0];
  sum.b_factor = b.q.scales[0] / out.q.scales[0];
  sum.fixed = static_cast<float>(out.q.zero_point()) - (sum.a_factor * static_cast<float>(a.q.zero_point()) +
                                                        sum.b_factor * static_cast<float>(b.q.zero_point()));
  constexpr float kFar = 1e30f;  // below it no sum is infinite
  if (!(sum.a_factor < kFar) || !(sum.b_factor < kFar)) return false;
  const Bounds bounds = ActivationBounds(attributes, out);
  sum.low = static_cast<int32_t>(bounds.low);
  sum.high = static_cast<int32_t>(bounds.high);
  sum.a_sign = ByteSign(IsSigned(types[0]));
  sum.b_sign = ByteSign(IsSigned(types[1]));
  sum.out_sign = ByteSign(IsSigned(types[2]));
  AddBytes(sum, a.tensor.as<uint8_t>().data(), b.tensor.as<uint8_t>().data(),
           static_cast<int64_t>(a.tensor.data.size()), out.tensor.as<uint8_t>().data());
  return true;
}

// PyTorch's eager kernels.
absl::Status AddDequantized(KernelCall& call, const Integers& in) {
  const float a_fixed = -in.a_scale * static_cast<float>(in.a_zero),
              b_fixed = -in.b_scale * static_cast<float>(in.b_zero);
  const float inverse = 1.0f / in.out_scale;
  return ForEach(call, in, [&](int64_t x, int64_t y) {
    const float sum =
        std::fma(in.a_scale, static_cast<float>(x), a_fixed) + std::fma(in.b_scale, static_cast<float>(y), b_fixed);
    return RoundEvenClamped(sum * inverse, in.bounds.low - in.zero_point, in.bounds.high - in.zero_point) +
           in.zero_point;
  });
}

absl::Status Multiply(KernelCall& call, const Integers& in, Rescale form, Family family) {
  // LiteRT forms the multiplier in float32 here, and widens it.
  const float real = in.a_scale * in.b_scale / in.out_scale;
  if (family == Family::kOnnxRuntime) {  // the zero point is inside the rounding
    return ForEach(call, in, [&](int64_t x, int64_t y) {
      const float product = static_cast<float>((x - in.a_zero) * (y - in.b_zero));
      return RoundEvenClamped(product * real + static_cast<float>(in.zero_point), in.bounds.low, in.bounds.high);
    });
  }
  absl::StatusOr<Rescaler> rescaler = Rescaler::Make(form, real);
  if (!rescaler.ok()) return rescaler.status();
  return ForEach(call, in, [&](int64_t x, int64_t y) {
    return (*rescaler)((x - in.a_zero) * (y - in.b_zero), in.zero_point, in.bounds.low, in.bounds.high);
  });
}

// LiteRT shifts by exponents outside of 0..31 too, where quotients are very large or very small. What x86-64 makes of
// that: the shift is modulo 32, and what is not negative is rounded up.
int32_t DivideByPowerOfTwoAsShifted(int32_t x, int exponent) {
  if (exponent >= 0 && exponent <= 31) return RoundingDivideByPowerOfTwo(x, exponent);
  return Wrap32(int64_t{x >> (exponent & 31)} + (x >= 0 ? 1 : 0));
}

// LiteRT: a reciprocal in fixed point, then two rescalings.
absl::Status DivideFixed(KernelCall& call, const Integers& in) {
  absl::StatusOr<Multiplier> out = MakeMultiplier(in.a_scale / (in.b_scale * in.out_scale));
  if (!out.ok()) return out.status();
  for (const int64_t y : in.b) {
    if (y == in.b_zero) return absl::UnimplementedError("LiteRT does not define a quantized division by zero");
  }
  return ForEach(call, in, [&](int64_t x, int64_t y) -> int64_t {
    int32_t numerator = static_cast<int32_t>(x - in.a_zero), denominator = static_cast<int32_t>(y - in.b_zero);
    if (denominator < 0) {
      numerator = -numerator;
      denominator = -denominator;
    }
    int recip_shift = 0;
    const int32_t inverse = FixedReciprocal(denominator, 31, &recip_shift);
    const int headroom = LeadingSignBits(numerator);
    const int32_t quotient = RoundingDoublingHighMul(ShiftLeftWrapping(numerator, headroom), inverse);
    const int total = out->shift - recip_shift - headroom;
    const int32_t scaled = DivideByPowerOfTwoAsShifted(RoundingDoublingHighMul(quotient, out->mantissa), -total);
    return int64_t{Wrap32(int64_t{scaled} + in.zero_point)};
  });
}

// LiteRT, int8 alone: both operands to one scale, the difference squared, and back.
absl::Status SquareDifferenceFixed(KernelCall& call, const Integers& in) {
  const int left = 7;
  const double twice = 2 * std::max(in.a_scale, in.b_scale);
  absl::StatusOr<Multiplier> a = MakeMultiplier(in.a_scale / twice), b = MakeMultiplier(in.b_scale / twice);
  absl::StatusOr<Multiplier> out = MakeMultiplier((twice * twice) / ((1 << (left * 2)) * in.out_scale));
  for (const auto& multiplier : {a, b, out}) {
    if (!multiplier.ok()) return multiplier.status();
  }
  return ForEach(call, in, [&](int64_t x, int64_t y) {
    const int32_t p = MultiplyDoubleRounding(Wrap32((x - in.a_zero) * (1 << left)), *a);
    const int32_t q = MultiplyDoubleRounding(Wrap32((y - in.b_zero) * (1 << left)), *b);
    const int64_t difference = int64_t{p} - q;
    return MultiplyDoubleRounding(Wrap32(difference * difference), *out) + in.zero_point;
  });
}

// LiteRT reads slopes of int16 as if they were int8: the first bytes of their memory.
std::vector<int64_t> SlopesReadAsBytes(const Tensor& slopes) {
  const auto* bytes = reinterpret_cast<const int8_t*>(slopes.data.data());
  return std::vector<int64_t>(bytes, bytes + slopes.data.size() / 2);
}

// LiteRT: one rescaling for what is not negative, another with the slope for what is.
absl::Status PReluFixed(KernelCall& call, const Integers& in) {
  absl::StatusOr<Multiplier> one = MakeMultiplier(in.a_scale / in.out_scale);
  absl::StatusOr<Multiplier> two = MakeMultiplier(in.a_scale * in.b_scale / in.out_scale);
  if (!one.ok()) return one.status();
  if (!two.ok()) return two.status();
  return ForEach(call, in, [&](int64_t x, int64_t y) {
    const int64_t value = x - in.a_zero;
    const int32_t scaled = value >= 0 ? MultiplyDoubleRounding(Wrap32(value), *one)
                                      : MultiplyDoubleRounding(Wrap32(value * (y - in.b_zero)), *two);
    return int64_t{scaled} + in.zero_point;
  });
}

// Profile::subtraction_overflows_to_lowest; zero points count from the type's lowest value.
bool SubtractionOverflows(const QTensor& a, const QTensor& b, const QTensor& out) {
  const auto from_lowest = [](const QTensor& value) {
    return static_cast<float>(value.q.zero_point() - MinOf(value.tensor.type));
  };
  const float ra = a.q.scales[0] / out.q.scales[0], rb = b.q.scales[0] / out.q.scales[0];
  const float zero_points = from_lowest(out) - from_lowest(a) * ra + from_lowest(b) * rb;
  return std::max(ra, rb) < 0.5f &&
         zero_points > static_cast<float>(MaxOf(out.tensor.type) - MinOf(out.tensor.type) + 1);
}

}  // namespace

absl::Status Binary(const Profile& profile, KernelCall& call) {
  const QTensor& a = *call.inputs[0];
  const QTensor& b = *call.inputs[1];
  QTensor& out = call.outputs[0];
  absl::StatusOr<Operands> operands = OperandsOf(a, b);
  if (!operands.ok()) return operands.status();
  const FloatFunction function = FloatOf(call.op);
  if (function == nullptr || call.inputs.size() != 2) return absl::UnimplementedError("no kernel for this operator");
  if (AttributesOf(call).Float("alpha", 1) != 1) return absl::UnimplementedError("a second operand times a number");
  if (!AttributesOf(call).Text("rounding_mode", "").empty()) return absl::UnimplementedError("a rounded quotient");
  const bool integers = IsQuantizedInteger(a) && IsQuantizedInteger(b) && IsQuantizedInteger(out) &&
                        a.q.scales.size() == 1 && b.q.scales.size() == 1 && out.q.scales.size() == 1 &&
                        BitWidth(a.tensor.type) == BitWidth(b.tensor.type) && BitWidth(a.tensor.type) <= 16;
  // ONNX Runtime's integer kernels have one type.
  const bool mixed =
      profile.family == Family::kOnnxRuntime && (a.tensor.type != b.tensor.type || a.tensor.type != out.tensor.type);
  if (!integers || mixed) return InFloat(profile, call, *operands, function);
  const AddForm add = BitWidth(a.tensor.type) <= 8 ? profile.add8 : profile.add16;
  if (call.op == OpId::kAdd && add == AddForm::kFusedMultiplyAdd) {
    if (absl::Status status = Allocate(operands->dims, out.tensor); !status.ok()) return status;
    if (AddBytesFused(a, b, AttributesOf(call), out)) return absl::OkStatus();
  }
  const Integers in{*operands,
                    Load<int64_t>(a.tensor),
                    call.op == OpId::kPRelu && profile.family == Family::kLiteRt && BitWidth(b.tensor.type) == 16
                        ? SlopesReadAsBytes(b.tensor)
                        : Load<int64_t>(b.tensor),
                    a.q.scales[0],
                    b.q.scales[0],
                    out.q.scales[0],
                    a.q.zero_point(),
                    b.q.zero_point(),
                    out.q.zero_point(),
                    ActivationBounds(AttributesOf(call), out),
                    BitWidth(a.tensor.type) <= 8};
  const bool litert = profile.family == Family::kLiteRt || profile.family == Family::kTosa;
  const Rescale mul = in.bytes ? profile.mul.bits8 : profile.mul.bits16;
  switch (call.op) {
    case OpId::kSub:
      if (profile.subtraction_overflows_to_lowest && SubtractionOverflows(a, b, out)) {
        return ForEach(call, in, [&](int64_t, int64_t) { return MinOf(out.tensor.type); });
      }
      // ONNX Runtime has no integer subtraction.
      if (add == AddForm::kFusedMultiplyAdd || add == AddForm::kFusedDequantize) break;
      [[fallthrough]];
    case OpId::kAdd: {
      const int sign = call.op == OpId::kSub ? -1 : 1;
      if (add == AddForm::kThreeRoundings) return AddThreeRoundings(call, in, sign);
      if (add == AddForm::kSharedShift) return AddSharedShift(call, in, sign);
      if (add == AddForm::kFusedMultiplyAdd) return AddFused(call, in);
      if (add == AddForm::kFusedDequantize) return AddDequantized(call, in);
      break;
    }
    case OpId::kMul:
      if (mul != Rescale::kNone) return Multiply(call, in, mul, profile.family);
      break;
    case OpId::kDiv:
      if (litert) return DivideFixed(call, in);
      break;
    case OpId::kSquaredDifference:
      if (litert && a.tensor.type == v1::DATA_TYPE_INT8) return SquareDifferenceFixed(call, in);
      if (litert) return absl::UnimplementedError("LiteRT squares differences of int8 alone");
      break;
    case OpId::kPRelu:
      if (litert) return PReluFixed(call, in);
      break;
    case OpId::kMaximum:
    case OpId::kMinimum:
      // The order of integers of one scale is that of the numbers.
      if (StoredAlike(a, b) && StoredAlike(a, out)) {
        const bool larger = call.op == OpId::kMaximum;
        return ForEach(call, in, [&](int64_t x, int64_t y) { return larger ? std::max(x, y) : std::min(x, y); });
      }
      break;
    default:
      break;
  }
  return InFloat(profile, call, *operands, function);
}

}  // namespace quantgate::simulator
