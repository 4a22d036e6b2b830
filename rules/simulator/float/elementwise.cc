// One output element per input element, and the other element-wise operators on broadcast operands.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "rules/operators/operator.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/functions.h"
#include "rules/simulator/shapes.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {
namespace {

template <typename F>
absl::Status Map(FloatCall& call, F f) {
  const absl::StatusOr<absl::Span<const float>> in = FloatInput(call, 0);
  if (!in.ok()) return in.status();
  if (absl::Status status = call.Make(0, kFloat, call.inputs[0]->dims); !status.ok()) return status;
  const absl::Span<float> out = call.outputs[0].as<float>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = f((*in)[i]);
  return absl::OkStatus();
}

// Integers of any type as int64, and back.
absl::StatusOr<Tensor> Widened(const Tensor& tensor) {
  absl::StatusOr<std::vector<int64_t>> integers = ToInt64(tensor);
  if (!integers.ok()) return integers.status();
  Tensor wide;
  wide.type = v1::DATA_TYPE_INT64;
  if (absl::Status status = Allocate(tensor.dims, wide); !status.ok()) return status;
  std::copy(integers->begin(), integers->end(), wide.as<int64_t>().begin());
  return wide;
}

template <typename T>
void Narrow(absl::Span<const int64_t> from, Tensor& to) {
  const absl::Span<T> out = to.as<T>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(from[i]);
}

// A byte each, which holds the lowest four bits, with their sign or without.
void NarrowTo4Bits(absl::Span<const int64_t> from, bool is_signed, Tensor& to) {
  const absl::Span<uint8_t> out = to.as<uint8_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t bits = from[i] & 15;
    out[i] = static_cast<uint8_t>(is_signed && bits > 7 ? bits - 16 : bits);
  }
}

absl::Status NarrowTo(v1::DataType type, const Tensor& wide, Tensor& out) {
  const absl::Span<const int64_t> from = wide.as<int64_t>();
  switch (type) {
    case v1::DATA_TYPE_BOOL: {
      const absl::Span<uint8_t> bools = out.as<uint8_t>();
      for (size_t i = 0; i < bools.size(); ++i) bools[i] = from[i] != 0;
      return absl::OkStatus();
    }
    case v1::DATA_TYPE_INT4:
    case v1::DATA_TYPE_UINT4:
      NarrowTo4Bits(from, type == v1::DATA_TYPE_INT4, out);
      return absl::OkStatus();
    case v1::DATA_TYPE_INT8:
      Narrow<int8_t>(from, out);
      return absl::OkStatus();
    case v1::DATA_TYPE_UINT8:
      Narrow<uint8_t>(from, out);
      return absl::OkStatus();
    case v1::DATA_TYPE_INT16:
      Narrow<int16_t>(from, out);
      return absl::OkStatus();
    case v1::DATA_TYPE_UINT16:
      Narrow<uint16_t>(from, out);
      return absl::OkStatus();
    case v1::DATA_TYPE_INT32:
      Narrow<int32_t>(from, out);
      return absl::OkStatus();
    case v1::DATA_TYPE_UINT32:
      Narrow<uint32_t>(from, out);
      return absl::OkStatus();
    case v1::DATA_TYPE_INT64:
    case v1::DATA_TYPE_UINT64:
      Narrow<int64_t>(from, out);
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(absl::StrCat("no conversion to ", v1::DataType_Name(type)));
  }
}

// Two operands as they are combined: both of real numbers, or both of int64.
struct Pair {
  const Tensor* a = nullptr;
  const Tensor* b = nullptr;
  Tensor wide_a, wide_b;  // what a and b point to where they are not the operands themselves
  bool floats = false;
};

// Makes room for the result: of conditions, of real numbers or of int64.
absl::Status Prepare(FloatCall& call, const Tensor& a, const Tensor& b, bool condition, Pair& pair) {
  const absl::StatusOr<Dims> dims = BroadcastShape(a.dims, b.dims);
  if (!dims.ok()) return dims.status();
  pair.a = &a;
  pair.b = &b;
  pair.floats = a.type == kFloat;
  if (pair.floats != (b.type == kFloat)) {
    return absl::InvalidArgumentError(absl::StrCat("operands of ", v1::DataType_Name(a.type), " and ",
                                                   v1::DataType_Name(b.type), " do not go together"));
  }
  if (!pair.floats) {
    absl::StatusOr<Tensor> wide_a = Widened(a), wide_b = Widened(b);
    if (!wide_a.ok() || !wide_b.ok()) return wide_a.ok() ? wide_b.status() : wide_a.status();
    pair.wide_a = *std::move(wide_a);
    pair.wide_b = *std::move(wide_b);
    pair.a = &pair.wide_a;
    pair.b = &pair.wide_b;
  }
  return call.Make(0, condition ? v1::DATA_TYPE_BOOL : pair.floats ? kFloat : v1::DATA_TYPE_INT64, *dims);
}

// The result in the type of the operands.
absl::Status Finish(FloatCall& call, v1::DataType type) {
  if (call.outputs[0].type != v1::DATA_TYPE_INT64 || type == v1::DATA_TYPE_INT64) return absl::OkStatus();
  const Tensor wide = std::move(call.outputs[0]);
  call.outputs[0] = Tensor();
  if (absl::Status status = call.Make(0, type, wide.dims); !status.ok()) return status;
  return NarrowTo(type, wide, call.outputs[0]);
}

// Rows of the result, and where they begin in each operand, which is broadcast to the result's shape.
class Rows {
 public:
  Rows(const Tensor& a, const Tensor& b, const Dims& dims) : dims_(dims), index_(dims.size(), 0), left_(Count(dims)) {
    if (a.dims == b.dims) {
      length = left_;
      dense = true;
      return;
    }
    steps_a_ = Steps(a.dims);
    steps_b_ = Steps(b.dims);
    length = dims_.back();
    step_a = steps_a_.back();
    step_b = steps_b_.back();
  }

  bool more() const { return left_ > 0; }
  void Next() {
    left_ -= length;
    if (dense) return;
    for (size_t axis = dims_.size() - 1; axis-- > 0;) {
      a += steps_a_[axis];
      b += steps_b_[axis];
      if (++index_[axis] < dims_[axis]) return;
      a -= steps_a_[axis] * dims_[axis];
      b -= steps_b_[axis] * dims_[axis];
      index_[axis] = 0;
    }
  }

  int64_t length = 0, step_a = 1, step_b = 1;
  int64_t a = 0, b = 0;
  bool dense = false;  // one row of all elements

 private:
  Dims Steps(const Dims& own) const {
    const Dims strides = StridesOf(own);
    Dims steps(dims_.size(), 0);
    for (size_t i = 0; i < own.size(); ++i) steps[dims_.size() - own.size() + i] = own[i] == 1 ? 0 : strides[i];
    return steps;
  }

  const Dims& dims_;
  Dims steps_a_, steps_b_, index_;
  int64_t left_;
};

template <typename T, typename R, typename F>
void Broadcast(const Pair& pair, Tensor& out, F f) {
  R* to = out.as<R>().data();
  for (Rows row(*pair.a, *pair.b, out.dims); row.more(); row.Next()) {
    const T* a = pair.a->as<T>().data() + row.a;
    const T* b = pair.b->as<T>().data() + row.b;
    if (row.dense) {
      for (int64_t i = 0; i < row.length; ++i) to[i] = f(a[i], b[i]);
    } else {
      for (int64_t i = 0; i < row.length; ++i) to[i] = f(a[i * row.step_a], b[i * row.step_b]);
    }
    to += row.length;
  }
}

// The result is of the operands' type, or of conditions.
template <bool kCondition = false, typename F>
absl::Status Combine(FloatCall& call, const Tensor& a, const Tensor& b, F f) {
  Pair pair;
  if (absl::Status status = Prepare(call, a, b, kCondition, pair); !status.ok()) return status;
  if (pair.floats) {
    Broadcast<float, std::conditional_t<kCondition, uint8_t, float>>(pair, call.outputs[0], f);
  } else {
    Broadcast<int64_t, std::conditional_t<kCondition, uint8_t, int64_t>>(pair, call.outputs[0], f);
  }
  return Finish(call, a.type);
}

// Beyond int64 and for what is no number: 0.
int64_t ToInteger(double value) { return std::fabs(value) < 9.2e18 ? static_cast<int64_t>(value) : 0; }

template <typename T, typename V>
T As(V value) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return ToInteger(static_cast<double>(value));
  } else {
    return static_cast<T>(value);
  }
}

constexpr double kBeyond = 9223372036854775808.0;  // the first that is no int64

// A bound of integers, in double precision.
int64_t Limit(double bound) {
  if (bound >= kBeyond) return INT64_MAX;
  return bound > -kBeyond ? static_cast<int64_t>(bound) : INT64_MIN;
}

bool IsNan(float x) { return std::isnan(x); }
bool IsNan(int64_t) { return false; }

// Integers wrap, as they do in the runtimes.
template <typename T, typename F>
T Wrapped(T a, T b, F f) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<int64_t>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  } else {
    return f(a, b);
  }
}

// As torch rounds quotients down: off the remainder, which is exact where the quotient is not.
float DividedDown(float a, float b) {
  if (b == 0) return a / b;
  const float rest = std::fmod(a, b);
  float quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0f, a / b);
  const float down = std::floor(quotient);
  return quotient - down > 0.5f ? down + 1 : down;
}

template <typename T>
T Divided(T a, T b, absl::string_view rounding) {
  if constexpr (std::is_same_v<T, int64_t>) {
    if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return 0;
    const int64_t quotient = a / b;
    return rounding == "floor" && quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  } else {
    if (rounding == "floor") return DividedDown(a, b);
    return rounding == "trunc" ? std::trunc(a / b) : a / b;
  }
}

// Sign of the divisor, or of the dividend.
template <typename T>
T Remainder(T a, T b, bool of_dividend) {
  if constexpr (std::is_same_v<T, int64_t>) {
    if (b == 0 || b == -1) return 0;
    const int64_t rest = a % b;
    return !of_dividend && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    const T rest = std::fmod(a, b);
    return !of_dividend && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
}

template <typename T>
T Scaled(T value, double by) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return Wrapped(ToInteger(by), value, [](auto s, auto t) { return s * t; });
  } else {
    return static_cast<T>(by) * value;
  }
}

absl::Status CombineTwo(FloatCall& call, const Tensor& a, const Tensor& b) {
  switch (call.op) {
    case OpId::kAdd:
    case OpId::kSum:
    case OpId::kMean:
    case OpId::kBiasAdd: {
      const double alpha = call.attributes.Float("alpha", 1);
      return Combine(call, a, b, [alpha](auto x, auto y) {
        return Wrapped(x, Scaled(y, alpha), [](auto s, auto t) { return s + t; });
      });
    }
    case OpId::kSub: {
      const double alpha = call.attributes.Float("alpha", 1);
      return Combine(call, a, b, [alpha](auto x, auto y) {
        return Wrapped(x, Scaled(y, alpha), [](auto s, auto t) { return s - t; });
      });
    }
    case OpId::kMul:
      return Combine(call, a, b, [](auto x, auto y) { return Wrapped(x, y, [](auto s, auto t) { return s * t; }); });
    case OpId::kDiv: {
      const std::string rounding(call.attributes.Text("rounding_mode", ""));
      return Combine(call, a, b, [&](auto x, auto y) { return Divided(x, y, rounding); });
    }
    case OpId::kFloorDiv:
      return Combine(call, a, b, [](auto x, auto y) {
        if constexpr (std::is_same_v<decltype(x), float>) return std::floor(x / y);
        return Divided(x, y, "floor");
      });
    case OpId::kMod: {
      const bool fmod = call.attributes.Int("fmod", 0) != 0;
      return Combine(call, a, b, [fmod](auto x, auto y) { return Remainder(x, y, fmod); });
    }
    case OpId::kFmod:
      return Combine(call, a, b, [](auto x, auto y) { return Remainder(x, y, true); });
    case OpId::kPow:
      return Combine(call, a, b, [](auto x, auto y) { return As<decltype(x)>(std::pow(x, y)); });
    case OpId::kAtan2:
      return Combine(call, a, b, [](auto x, auto y) { return As<decltype(x)>(std::atan2(x, y)); });
    case OpId::kSquaredDifference:
      return Combine(call, a, b,
                     [](auto x, auto y) { return Wrapped(x, y, [](auto s, auto t) { return (s - t) * (s - t); }); });
    case OpId::kMaximum:
      return Combine(call, a, b, [](auto x, auto y) { return IsNan(x) || x > y ? x : y; });
    case OpId::kMinimum:
      return Combine(call, a, b, [](auto x, auto y) { return IsNan(x) || x < y ? x : y; });
    case OpId::kPRelu:
      return Combine(call, a, b, [](auto x, auto y) { return x >= 0 ? x : x * y; });
    case OpId::kEqual:
      return Combine<true>(call, a, b, [](auto x, auto y) { return x == y; });
    case OpId::kNotEqual:
      return Combine<true>(call, a, b, [](auto x, auto y) { return x != y; });
    case OpId::kLess:
      return Combine<true>(call, a, b, [](auto x, auto y) { return x < y; });
    case OpId::kLessEqual:
      return Combine<true>(call, a, b, [](auto x, auto y) { return x <= y; });
    case OpId::kGreater:
      return Combine<true>(call, a, b, [](auto x, auto y) { return x > y; });
    case OpId::kGreaterEqual:
      return Combine<true>(call, a, b, [](auto x, auto y) { return x >= y; });
    case OpId::kLogicalAnd:
      return Combine<true>(call, a, b, [](auto x, auto y) { return x != 0 && y != 0; });
    case OpId::kLogicalOr:
      return Combine<true>(call, a, b, [](auto x, auto y) { return x != 0 || y != 0; });
    case OpId::kLogicalXor:
      return Combine<true>(call, a, b, [](auto x, auto y) { return (x != 0) != (y != 0); });
    default:
      break;
  }
  if (a.type == kFloat || b.type == kFloat) return absl::InvalidArgumentError("bits of real numbers");
  const OpId op = call.op;
  return Combine(call, a, b, [op](auto x, auto y) -> decltype(x) {
    const int64_t p = static_cast<int64_t>(x), q = static_cast<int64_t>(y);
    return static_cast<decltype(x)>(op == OpId::kBitwiseAnd ? p & q : op == OpId::kBitwiseOr ? p | q : p ^ q);
  });
}

// The same as Activate on integers that stand for themselves.
absl::Status ActivateIntegers(FloatCall& call) {
  const absl::string_view activation = call.attributes.Text("activation", "");
  Tensor& out = call.outputs[0];
  if (activation.empty() || out.type == v1::DATA_TYPE_BOOL) return absl::OkStatus();
  absl::StatusOr<Tensor> wide = Widened(out);
  if (!wide.ok()) return wide.status();
  const int64_t low = activation == "relu_n1_to_1" ? -1 : 0;
  const int64_t high = activation == "relu6" ? 6 : activation == "relu_n1_to_1" ? 1 : INT64_MAX;
  for (int64_t& value : wide->as<int64_t>()) value = std::clamp(value, low, high);
  return NarrowTo(out.type, *wide, out);
}

}  // namespace

Tensor AsFloat(const Tensor& tensor) {
  Tensor result;
  const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(tensor);
  result.type = kFloat;
  if (!integers.ok() || !Allocate(tensor.dims, result).ok()) return tensor;
  const absl::Span<float> out = result.as<float>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>((*integers)[i]);
  return result;
}

absl::Status RunBinary(FloatCall& call) {
  const Tensor* a = call.input(0);
  if (a == nullptr) return absl::InvalidArgumentError("an operand is not there");
  // torch divides integers as real numbers, unless it rounds.
  const bool real = call.op == OpId::kDiv && call.attributes.Int("real", 0) != 0 && a->type != kFloat;
  Tensor left = real ? AsFloat(*a) : *a;
  // Sums, means, maxima and minima are of any number of tensors.
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    if (call.inputs[i] == nullptr) continue;
    Tensor right = *call.inputs[i];
    if (left.type == kFloat && right.type != kFloat) right = AsFloat(right);
    if (right.type == kFloat && left.type != kFloat) left = AsFloat(left);
    if (absl::Status status = CombineTwo(call, left, right); !status.ok()) return status;
    left = call.outputs[0];
  }
  if (call.inputs.size() < 2) call.outputs[0] = left;
  if (call.outputs[0].type != kFloat) return ActivateIntegers(call);
  const absl::Span<float> out = call.outputs[0].as<float>();
  if (call.op == OpId::kMean) {
    for (float& value : out) value /= static_cast<float>(call.inputs.size());
  }
  Activate(call.attributes, out);
  return absl::OkStatus();
}

absl::Status RunWhere(FloatCall& call) {
  const bool fill = call.op == OpId::kMaskedFill;  // x, mask, value
  const Tensor* condition = call.input(fill ? 1 : 0);
  const Tensor* x = call.input(fill ? 2 : 1);
  const Tensor* y = call.input(fill ? 0 : 2);
  if (condition == nullptr || x == nullptr || y == nullptr)
    return absl::InvalidArgumentError("an operand is not there");
  const bool floats = x->type == kFloat || y->type == kFloat;
  const Tensor a = floats && x->type != kFloat ? AsFloat(*x) : *x;
  const Tensor b = floats && y->type != kFloat ? AsFloat(*y) : *y;
  if (a.type != b.type && ElementSize(a.type) != ElementSize(b.type)) {
    return absl::InvalidArgumentError("the two choices are of different types");
  }
  absl::StatusOr<Dims> dims = BroadcastShape(a.dims, b.dims);
  if (dims.ok()) dims = BroadcastShape(*dims, condition->dims);
  if (!dims.ok()) return dims.status();
  const absl::StatusOr<std::vector<int64_t>> chosen = ToInt64(*condition);
  if (!chosen.ok()) return chosen.status();
  if (absl::Status status = call.Make(0, a.type, *dims); !status.ok()) return status;
  const size_t width = ElementSize(a.type);
  const size_t rank = dims->size();
  const Tensor* tensors[3] = {condition, &a, &b};
  Dims steps[3];
  for (int t = 0; t < 3; ++t) {
    const Dims strides = StridesOf(tensors[t]->dims);
    steps[t].assign(rank, 0);
    const size_t missing = rank - strides.size();
    for (size_t i = 0; i < strides.size(); ++i) steps[t][missing + i] = tensors[t]->dims[i] == 1 ? 0 : strides[i];
  }
  Dims index(rank, 0);
  int64_t at[3] = {0, 0, 0};
  std::byte* to = call.outputs[0].data.data();
  const int64_t count = Count(*dims);
  for (int64_t i = 0; i < count; ++i, to += width) {
    const int from = (*chosen)[at[0]] != 0 ? 1 : 2;
    std::memcpy(to, tensors[from]->data.data() + at[from] * width, width);
    for (size_t axis = rank; axis-- > 0;) {
      for (int t = 0; t < 3; ++t) at[t] += steps[t][axis];
      if (++index[axis] < (*dims)[axis]) break;
      for (int t = 0; t < 3; ++t) at[t] -= steps[t][axis] * (*dims)[axis];
      index[axis] = 0;
    }
  }
  return absl::OkStatus();
}

namespace {

// As x86 truncates: to 32 bits, or 64, and then to fewer. What does not fit, and what is no number, is the least one.
// To four bits ONNX Runtime rounds before, ties away from zero.
int64_t Truncated(float value, v1::DataType to) {
  if (to == v1::DATA_TYPE_BOOL) return value != 0;
  if (to == v1::DATA_TYPE_INT4 || to == v1::DATA_TYPE_UINT4) value = std::round(value);
  const bool wide = to == v1::DATA_TYPE_INT64 || to == v1::DATA_TYPE_UINT64 || to == v1::DATA_TYPE_UINT32;
  const float beyond = wide ? static_cast<float>(kBeyond) : 2147483648.0f;
  if (value >= -beyond && value < beyond) return static_cast<int64_t>(value);
  return wide ? INT64_MIN : INT32_MIN;
}

}  // namespace

absl::Status RunCast(FloatCall& call) {
  const Tensor* in = call.input(0);
  if (in == nullptr) return absl::InvalidArgumentError("its input is not there");
  auto to = static_cast<v1::DataType>(call.attributes.Int("to", in->type));
  // Real numbers of all widths are float32 here.
  if (to == v1::DATA_TYPE_FLOAT64 || to == v1::DATA_TYPE_FLOAT16 || to == v1::DATA_TYPE_BFLOAT16) to = kFloat;
  if (to == in->type) {
    call.outputs[0] = *in;
    return absl::OkStatus();
  }
  if (absl::Status status = call.Make(0, to, in->dims); !status.ok()) return status;
  if (to == kFloat) {
    call.outputs[0] = AsFloat(*in);
    return call.outputs[0].type == kFloat ? absl::OkStatus() : absl::UnimplementedError("a cast from this type");
  }
  if (in->type != kFloat) {
    const absl::StatusOr<Tensor> wide = Widened(*in);
    return wide.ok() ? NarrowTo(to, *wide, call.outputs[0]) : wide.status();
  }
  Tensor wide;
  wide.type = v1::DATA_TYPE_INT64;
  if (absl::Status status = Allocate(in->dims, wide); !status.ok()) return status;
  const absl::Span<const float> from = in->as<float>();
  const absl::Span<int64_t> integers = wide.as<int64_t>();
  for (size_t i = 0; i < from.size(); ++i) integers[i] = Truncated(from[i], to);
  return NarrowTo(to, wide, call.outputs[0]);
}

absl::Status RunUnary(FloatCall& call) {
  const Attributes& attributes = call.attributes;
  const Tensor* in = call.input(0);
  if (in != nullptr && in->type != kFloat) {
    // Of integers: shapes and conditions.
    switch (call.op) {
      case OpId::kLogicalNot:
        return Combine<true>(call, *in, *in, [](auto x, auto) { return x == 0; });
      case OpId::kNeg:
        return Combine(call, *in, *in, [](auto x, auto) {
          return Wrapped(static_cast<decltype(x)>(0), x, [](auto s, auto t) { return s - t; });
        });
      case OpId::kAbs:
        return Combine(call, *in, *in, [](auto x, auto) {
          const auto zero = static_cast<decltype(x)>(0);
          return x < 0 ? Wrapped(zero, x, [](auto s, auto t) { return s - t; }) : x;
        });
      case OpId::kRelu:
        return Combine(call, *in, *in, [](auto x, auto) { return x < 0 ? static_cast<decltype(x)>(0) : x; });
      case OpId::kSign:
        return Combine(call, *in, *in, [](auto x, auto) { return static_cast<decltype(x)>((x > 0) - (x < 0)); });
      case OpId::kSquare:
        return Combine(call, *in, *in,
                       [](auto x, auto) { return Wrapped(x, x, [](auto s, auto t) { return s * t; }); });
      case OpId::kClamp: {
        if (attributes.Int("real", 0) != 0) break;
        const int64_t low = Limit(attributes.Float("min", -kBeyond)), high = Limit(attributes.Float("max", kBeyond));
        return Combine(call, *in, *in, [=](auto x, auto) {
          const auto least = static_cast<decltype(x)>(low), most = static_cast<decltype(x)>(high);
          return std::min(std::max(x, least), most);
        });
      }
      case OpId::kFloor:
      case OpId::kCeil:
      case OpId::kRound:
      case OpId::kTrunc:
        call.outputs[0] = *in;
        return absl::OkStatus();
      default:
        break;
    }
    // torch's functions take integers too.
    const Tensor real = AsFloat(*in);
    if (real.type != kFloat) return absl::UnimplementedError("an operand of a type that has no kernels");
    const Tensor* inputs[1] = {&real};
    FloatCall again{call.op, call.layout, attributes, inputs, call.outputs, call.max_bytes};
    return RunUnary(again);
  }
  const auto real = [&](absl::string_view name, double fallback) {
    return static_cast<float>(attributes.Float(name, fallback));
  };
  switch (call.op) {
    case OpId::kAbs:
      return Map(call, [](float x) { return std::fabs(x); });
    case OpId::kAcos:
      return Map(call, [](float x) { return std::acos(x); });
    case OpId::kAcosh:
      return Map(call, [](float x) { return std::acosh(x); });
    case OpId::kAsin:
      return Map(call, [](float x) { return std::asin(x); });
    case OpId::kAsinh:
      return Map(call, [](float x) { return std::asinh(x); });
    case OpId::kAtan:
      return Map(call, [](float x) { return std::atan(x); });
    case OpId::kAtanh:
      return Map(call, [](float x) { return std::atanh(x); });
    case OpId::kCeil:
      return Map(call, [](float x) { return std::ceil(x); });
    case OpId::kCos:
      return Map(call, [](float x) { return std::cos(x); });
    case OpId::kCosh:
      return Map(call, [](float x) { return std::cosh(x); });
    case OpId::kErf:
      return Map(call, [](float x) { return std::erf(x); });
    case OpId::kExp:
      return Map(call, [](float x) { return std::exp(x); });
    case OpId::kExpm1:
      return Map(call, [](float x) { return std::expm1(x); });
    case OpId::kFloor:
      return Map(call, [](float x) { return std::floor(x); });
    case OpId::kLog:
      return Map(call, [](float x) { return std::log(x); });
    case OpId::kLog10:
      return Map(call, [](float x) { return std::log10(x); });
    case OpId::kLog1p:
      return Map(call, [](float x) { return std::log1p(x); });
    case OpId::kLog2:
      return Map(call, [](float x) { return std::log2(x); });
    case OpId::kNeg:
      return Map(call, [](float x) { return -x; });
    case OpId::kReciprocal:
      return Map(call, [](float x) { return 1.0f / x; });
    case OpId::kRound: {
      const int64_t decimals = attributes.Int("decimals", 0);
      return decimals == 0 ? Map(call, [](float x) { return std::nearbyint(x); })
                           : Map(call, [=](float x) { return RoundedTo(x, decimals); });
    }
    case OpId::kRsqrt:
      return Map(call, [](float x) { return 1.0f / std::sqrt(x); });
    case OpId::kSign:
      return Map(call, [](float x) { return static_cast<float>((x > 0) - (x < 0)); });
    case OpId::kSin:
      return Map(call, [](float x) { return std::sin(x); });
    case OpId::kSinh:
      return Map(call, [](float x) { return std::sinh(x); });
    case OpId::kSqrt:
      return Map(call, [](float x) { return std::sqrt(x); });
    case OpId::kSquare:
      return Map(call, [](float x) { return x * x; });
    case OpId::kTan:
      return Map(call, [](float x) { return std::tan(x); });
    case OpId::kTrunc:
      return Map(call, [](float x) { return std::trunc(x); });
    case OpId::kRelu:
      return Map(call, [](float x) { return x < 0 ? 0.0f : x; });
    case OpId::kRelu1:
      return Map(call, [](float x) { return std::min(std::max(x, -1.0f), 1.0f); });
    case OpId::kRelu6:
      return Map(call, [](float x) { return std::min(std::max(x, 0.0f), 6.0f); });
    case OpId::kClamp: {
      const float low = real("min", -std::numeric_limits<float>::infinity());
      const float high = real("max", std::numeric_limits<float>::infinity());
      return Map(call, [=](float x) { return x < low ? std::min(low, high) : x > high ? high : x; });
    }
    case OpId::kThresholdedRelu: {
      const float alpha = real("alpha", 1);
      return Map(call, [=](float x) { return x > alpha ? x : 0.0f; });
    }
    case OpId::kLeakyRelu: {
      const float alpha = real("alpha", 0.01);
      return Map(call, [=](float x) { return x >= 0 ? x : alpha * x; });
    }
    case OpId::kElu: {
      const float scale = real("scale", 1), input_scale = real("input_scale", 1), alpha = real("alpha", 1) * scale;
      return Map(call, [=](float x) { return x >= 0 ? scale * x : alpha * std::expm1(input_scale * x); });
    }
    case OpId::kCelu: {
      const float alpha = real("alpha", 1);
      return Map(call, [=](float x) { return x >= 0 ? x : alpha * std::expm1(x / alpha); });
    }
    case OpId::kSelu: {
      const float alpha = real("alpha", 1.67326319217681884765625);
      const float gamma = real("gamma", 1.05070102214813232421875);
      return Map(call, [=](float x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); });
    }
    case OpId::kGelu:
      if (attributes.Text("approximate", "none") == "tanh") {
        return Map(call, [](float x) {
          return 0.5f * x * (1.0f + std::tanh(0.7978845608028654f * (x + 0.044715f * x * x * x)));
        });
      }
      return Map(call, [](float x) { return 0.5f * x * (1.0f + std::erf(x * 0.70710678118654752f)); });
    case OpId::kFastGelu:
      return Map(call, [](float x) {
        return 0.5f * x * (1.0f + std::tanh(0.7978845608028654f * (x + 0.044715f * x * x * x)));
      });
    case OpId::kQuickGelu: {
      const float alpha = real("alpha", 1.702);
      return Map(call, [=](float x) { return x / (1.0f + std::exp(-alpha * x)); });
    }
    case OpId::kSilu:
      return Map(call, [](float x) { return x / (1.0f + std::exp(-x)); });
    case OpId::kSwish: {
      const float alpha = real("alpha", 1);
      return Map(call, [=](float x) { return x / (1.0f + std::exp(-alpha * x)); });
    }
    case OpId::kMish:
      return Map(call, [](float x) { return x * std::tanh(std::log1p(std::exp(x))); });
    case OpId::kSigmoid:
      return Map(call, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
    case OpId::kHardSigmoid: {
      const float alpha = real("alpha", 0.2), beta = real("beta", 0.5);
      return Map(call, [=](float x) { return std::min(std::max(alpha * x + beta, 0.0f), 1.0f); });
    }
    case OpId::kLogSigmoid:
      return Map(call, [](float x) { return std::min(x, 0.0f) - std::log1p(std::exp(-std::fabs(x))); });
    case OpId::kHardSwish:
      return Map(call, [](float x) { return x * std::min(std::max(x + 3.0f, 0.0f), 6.0f) / 6.0f; });
    case OpId::kTanh:
      return Map(call, [](float x) { return std::tanh(x); });
    case OpId::kSoftplus: {
      const float beta = real("beta", 1), threshold = real("threshold", 20);
      return Map(call, [=](float x) { return Softplus(x, beta, threshold); });
    }
    case OpId::kSoftsign:
      return Map(call, [](float x) { return x / (1.0f + std::fabs(x)); });
    case OpId::kIsNaN:
      if (in == nullptr) return absl::InvalidArgumentError("input 0 is not there");
      return Combine<true>(call, *in, *in, [](auto x, auto) { return IsNan(x); });
    default:
      return absl::UnimplementedError(absl::StrCat("the simulator has no kernel for ", GetOperator(call.op).name));
  }
}

}  // namespace quantgate::simulator
