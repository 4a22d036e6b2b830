// Softmax and log-softmax along one axis.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernels/decomposed.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/fixed_point.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/kernels/lookup.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// Rows along the axis: element i of row r is at offset(r) + i * stride.
struct Rows {
  int64_t rows = 0, size = 0, stride = 1;
  int64_t offset(int64_t row) const { return row / stride * stride * size + row % stride; }
};

absl::StatusOr<Rows> RowsOf(const KernelCall& call) {
  const std::vector<int64_t>& dims = call.inputs[0]->tensor.dims;
  if (dims.empty()) return absl::InvalidArgumentError("a softmax of a scalar");
  absl::StatusOr<int> axis = NormalizedAxis(AttributesOf(call).Int("axis", -1), dims.size());
  if (!axis.ok()) return axis.status();
  Rows rows{1, dims[*axis], 1};
  if (AttributesOf(call).Int("flatten", 0) != 0) {  // ONNX before operator set 13: all axes from `axis` on are one
    for (size_t d = 0; d < dims.size(); ++d) {
      if (static_cast<int>(d) < *axis) rows.rows *= dims[d];
      if (static_cast<int>(d) > *axis) rows.size *= dims[d];
    }
    return rows;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (static_cast<int>(d) != *axis) rows.rows *= dims[d];
    if (static_cast<int>(d) > *axis) rows.stride *= dims[d];
  }
  return rows;
}

absl::Status InFloat(const Profile& profile, KernelCall& call, const Rows& rows, bool logarithm) {
  std::vector<float> values;
  if (absl::Status status = DequantizeToFloats(profile, *call.inputs[0], values); !status.ok()) return status;
  const float beta = static_cast<float>(AttributesOf(call).Float("beta", 1));
  for (int64_t r = 0; r < rows.rows && rows.size > 0; ++r) {
    float* row = values.data() + rows.offset(r);
    float largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < rows.size; ++i) largest = std::max(largest, row[i * rows.stride]);
    for (int64_t i = 0; i < rows.size; ++i) {
      float& x = row[i * rows.stride];
      x = (x - largest) * beta;
      sum += std::exp(x);
    }
    const float shift = std::log(sum);
    for (int64_t i = 0; i < rows.size; ++i) {
      float& x = row[i * rows.stride];
      x = logarithm ? x - shift : std::exp(x) / sum;
    }
  }
  QTensor& out = call.outputs[0];
  if (profile.softmax8_from_lowest && !logarithm && out.q.quantized() && BitWidth(out.tensor.type) == 8) {
    out.q.zero_points.assign(out.q.scales.size(), MinOf(out.tensor.type));
  }
  return StoreFloats(profile, call.inputs[0]->tensor.dims, values, out);
}

// LiteRT's reference, 8 bits: exp and the reciprocal of the sum in fixed point.
absl::Status Fixed8(KernelCall& call, const Rows& rows) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  const double real =
      std::min(AttributesOf(call).Float("beta", 1) * static_cast<double>(in.q.scales[0]) * (1 << 26), 2147483647.0);
  absl::StatusOr<Multiplier> multiplier = MakeMultiplier(real);
  if (!multiplier.ok()) return multiplier.status();
  if (multiplier->shift < 0) {
    return absl::UnimplementedError(absl::StrCat("a softmax of an input of scale ", in.q.scales[0]));
  }
  const double radius = 31.0 * (1 << 26) / std::ldexp(1.0, multiplier->shift);
  const int64_t least = -static_cast<int64_t>(std::floor(radius));
  if (absl::Status status = Allocate(in.tensor.dims, out.tensor); !status.ok()) return status;
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type);
  std::vector<int64_t> result(values.size(), low);
  const auto exponential = [&](int64_t difference) {
    return FixedExpOfNegative(RoundingDoublingHighMul(
        ShiftLeftWrapping(static_cast<int32_t>(difference), multiplier->shift), multiplier->mantissa));
  };
  for (int64_t r = 0; r < rows.rows && rows.size > 0; ++r) {
    const int64_t* row = values.data() + rows.offset(r);
    int64_t largest = row[0];
    for (int64_t i = 0; i < rows.size; ++i) largest = std::max(largest, row[i * rows.stride]);
    int64_t sum = 0;  // Q12.19
    for (int64_t i = 0; i < rows.size; ++i) {
      const int64_t difference = row[i * rows.stride] - largest;
      if (difference >= least) sum += RoundingDivideByPowerOfTwo(exponential(difference), 12);
    }
    int bits_over_unit = 0;
    const int32_t reciprocal = FixedReciprocal(Wrap32(std::min<int64_t>(sum, INT32_MAX)), 12, &bits_over_unit);
    const int exponent = bits_over_unit + 31 - static_cast<int>(8 * ElementSize(out.tensor.type));
    for (int64_t i = 0; i < rows.size; ++i) {
      const int64_t difference = row[i * rows.stride] - largest;
      if (difference < least) continue;
      const int32_t product = RoundingDoublingHighMul(reciprocal, exponential(difference));
      result[rows.offset(r) + i * rows.stride] =
          std::clamp<int64_t>(RoundingDivideByPowerOfTwo(product, exponent) + low, low, high);
    }
  }
  Store(out.tensor, [&](size_t i) { return result[i]; });
  return absl::OkStatus();
}

// LiteRT's optimized kernel, 8 bits: a float table of exp; ties away for int8, up for uint8, which has no zero point.
absl::Status Table8(KernelCall& call, const Rows& rows) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  const float scale = -in.q.scales[0] * static_cast<float>(AttributesOf(call).Float("beta", 1));
  std::array<float, 256> table;
  for (int i = 0; i < 256; ++i) table[i] = std::exp(scale * static_cast<float>(i));
  if (absl::Status status = Allocate(in.tensor.dims, out.tensor); !status.ok()) return status;
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type);
  const bool ties_up = out.tensor.type == v1::DATA_TYPE_UINT8;
  const int64_t zero_point = ties_up ? 0 : out.q.zero_point();
  std::vector<int64_t> result(values.size());
  for (int64_t r = 0; r < rows.rows && rows.size > 0; ++r) {
    const int64_t* row = values.data() + rows.offset(r);
    int64_t largest = row[0];
    for (int64_t i = 0; i < rows.size; ++i) largest = std::max(largest, row[i * rows.stride]);
    float sum = 0;
    for (int64_t i = 0; i < rows.size; ++i) sum += table[largest - row[i * rows.stride]];
    const float inverse = 1.0f / (sum * out.q.scales[0]);
    for (int64_t i = 0; i < rows.size; ++i) {
      const float scaled = table[largest - row[i * rows.stride]] * inverse;
      const float rounded = ties_up ? std::floor(scaled + 0.5f) : std::round(scaled);
      result[rows.offset(r) + i * rows.stride] =
          RoundEvenClamped(rounded, low - zero_point, high - zero_point) + zero_point;
    }
  }
  Store(out.tensor, [&](size_t i) { return result[i]; });
  return absl::OkStatus();
}

// LiteRT, 16 bits: interpolated tables of exp over [-10, 0] and of 1 / (1 + x) over [0, 1].
absl::Status Fixed16(KernelCall& call, const Rows& rows) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  if (in.q.zero_point() != 0 || out.q.zero_point() != 0) {
    return absl::UnimplementedError("LiteRT refuses zero points in a softmax of int16");
  }
  const double range = 65535;
  static const auto* const exponential = new InterpolatedTable(
      InterpolatedTable::Make<double>(10.0 / range, INT16_MAX, 2.0 / range, 0, [](double x) { return std::exp(x); }));
  static const auto* const reciprocal = new InterpolatedTable(InterpolatedTable::Make<double>(
      1.0 / range, INT16_MIN, 2.0 / range, 0, [](double x) { return 1.0 / (1.0 + x); }));
  const float beta = static_cast<float>(AttributesOf(call).Float("beta", 1));
  absl::StatusOr<Multiplier> multiplier = MakeMultiplier(static_cast<double>(in.q.scales[0] * beta) / (10.0 / 65535.0));
  if (!multiplier.ok()) return multiplier.status();
  if (absl::Status status = Allocate(in.tensor.dims, out.tensor); !status.ok()) return status;
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  std::vector<int64_t> result(values.size());
  const auto saturated = [](int64_t x) { return static_cast<int16_t>(std::clamp<int64_t>(x, INT16_MIN, INT16_MAX)); };
  for (int64_t r = 0; r < rows.rows && rows.size > 0; ++r) {
    const int64_t offset = rows.offset(r);
    int64_t largest = values[offset], sum = 0;  // Q16.15
    for (int64_t i = 0; i < rows.size; ++i) largest = std::max(largest, values[offset + i * rows.stride]);
    for (int64_t i = 0; i < rows.size; ++i) {
      const int64_t at = offset + i * rows.stride;
      const int32_t difference = MultiplyDoubleRounding(static_cast<int32_t>(values[at] - largest), *multiplier);
      result[at] = (*exponential)(saturated(int64_t{difference} + 32767));
      sum += result[at];
    }
    sum = std::clamp<int64_t>(sum, 1, INT32_MAX);
    const int headroom = __builtin_clz(static_cast<uint32_t>(sum));
    const int64_t shifted = ((sum << (headroom - 1)) + (1 << 13)) >> 14;
    const int16_t inverse = (*reciprocal)(saturated(shifted - ((1 << 15) + (1 << 16))));
    const int shift = 31 - headroom;
    const int64_t half = shift > 0 ? int64_t{1} << (shift - 1) : 0;
    for (int64_t i = 0; i < rows.size; ++i) {
      int64_t& to = result[offset + i * rows.stride];
      to = std::clamp<int64_t>((to * inverse + half) >> shift, 0, 32767);
    }
  }
  Store(out.tensor, [&](size_t i) { return result[i]; });
  return absl::OkStatus();
}

// By how far an input is below 255: its exponential in float32, shifted up to what a sum of `size` of them can bear.
std::array<float, 256> ShiftedExponentials(float scale, int64_t size) {
  const double room = std::log(std::numeric_limits<float>::max() / static_cast<float>(size));
  const double shift = std::max(0.0, room - 5) / scale;
  std::array<float, 256> table;
  for (int i = 0; i < 256; ++i) table[i] = static_cast<float>(std::exp((i - 255 + shift) * static_cast<double>(scale)));
  return table;
}

// As x86 converts to integers: one without a sign by way of 64 bits, whose low half is 0 for what is beyond them.
int64_t ConvertedUnsigned(float x) {
  const bool fits = x < 9223372036854775808.0f;
  return fits ? static_cast<uint32_t>(static_cast<int64_t>(x)) : 0;
}

int64_t ConvertedSigned(float x) { return x < 2147483648.0f ? static_cast<int32_t>(x) : INT32_MIN; }

// ONNX Runtime's QLinearSoftmax: the output's scale is taken as one over a whole number of steps. Exponentials are so
// large that they overflow where more than 148 steps are multiplied in a row of one, or as many times more in a row of
// more.
absl::Status WholeSteps8(KernelCall& call, const Rows& rows) {
  const QTensor& in = *call.inputs[0];
  QTensor& out = call.outputs[0];
  const float steps = std::floor(1.0f / out.q.scales[0]);
  const std::array<float, 256> table = ShiftedExponentials(in.q.scales[0], rows.size);
  if (absl::Status status = Allocate(in.tensor.dims, out.tensor); !status.ok()) return status;
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  const bool is_signed = out.tensor.type == v1::DATA_TYPE_INT8;
  const int64_t low = MinOf(out.tensor.type), high = MaxOf(out.tensor.type), zero = out.q.zero_point();
  std::vector<int64_t> result(values.size());
  for (int64_t r = 0; r < rows.rows && rows.size > 0; ++r) {
    const int64_t* row = values.data() + rows.offset(r);
    int64_t largest = row[0];
    for (int64_t i = 0; i < rows.size; ++i) largest = std::max(largest, row[i * rows.stride]);
    const auto exponential = [&](int64_t i) { return table[row[i * rows.stride] - largest + 255]; };
    float sum = 0;
    for (int64_t i = 0; i < rows.size; ++i) sum += exponential(i);
    for (int64_t i = 0; i < rows.size; ++i) {
      const float rounded = std::nearbyint(exponential(i) * steps / sum);
      int64_t stored = static_cast<uint32_t>(ConvertedUnsigned(rounded) + zero);
      if (is_signed) stored = Wrap32(ConvertedSigned(rounded) + zero);
      result[rows.offset(r) + i * rows.stride] = std::clamp(stored, low, high);
    }
  }
  Store(out.tensor, [&](size_t i) { return result[i]; });
  return absl::OkStatus();
}

}  // namespace

absl::Status Softmax(const Profile& profile, KernelCall& call) {
  absl::StatusOr<Rows> rows = RowsOf(call);
  if (!rows.ok()) return rows.status();
  const QTensor& in = *call.inputs[0];
  const QTensor& out = call.outputs[0];
  const bool integers =
      IsQuantizedInteger(in) && IsQuantizedInteger(out) && in.q.scales.size() == 1 && out.q.scales.size() == 1;
  const bool litert = integers && (profile.family == Family::kLiteRt || profile.family == Family::kTosa);
  if (litert && BitWidth(in.tensor.type) == 8 && BitWidth(out.tensor.type) == 8) {
    return profile.family == Family::kLiteRt && !profile.reference_kernels ? Table8(call, *rows) : Fixed8(call, *rows);
  }
  if (integers && profile.family == Family::kOnnxRuntime && BitWidth(in.tensor.type) == 8 &&
      BitWidth(out.tensor.type) == 8) {
    return WholeSteps8(call, *rows);
  }
  if (litert && in.tensor.type == v1::DATA_TYPE_INT16 && out.tensor.type == v1::DATA_TYPE_INT16) {
    return Fixed16(call, *rows);
  }
  return InFloat(profile, call, *rows, false);
}

absl::Status LogSoftmax(const Profile& profile, KernelCall& call) {
  absl::StatusOr<Rows> rows = RowsOf(call);
  return rows.ok() ? InFloat(profile, call, *rows, true) : rows.status();
}

}  // namespace quantgate::simulator
