#include "rules/simulator/kernels/products.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "rules/simulator/kernels/activation.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/exact_float.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// Rows that are multiplied at a time.
constexpr int64_t kTile = 32;

int64_t DotWide(const int32_t* a, const int32_t* b, int64_t size) {
  uint64_t sum = 0;  // modulo 2^64
  for (int64_t i = 0; i < size; ++i) sum += static_cast<uint64_t>(static_cast<int64_t>(a[i]) * b[i]);
  return static_cast<int64_t>(sum);
}

// The caller knows that no sum leaves 32 bits.
int32_t DotNarrow(const int16_t* a, const int16_t* b, int64_t size) {
  int32_t sum = 0;
  for (int64_t i = 0; i < size; ++i) sum += static_cast<int32_t>(a[i]) * static_cast<int32_t>(b[i]);
  return sum;
}

int64_t DotNarrowLong(const int16_t* a, const int16_t* b, int64_t size) {
  int64_t sum = 0;
  // A product of two such numbers has at most 31 bits, and one of 32 is the faster one.
  // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
  for (int64_t i = 0; i < size; ++i) sum += static_cast<int32_t>(a[i]) * static_cast<int32_t>(b[i]);
  return sum;
}

// ONNX Runtime makes an integer convolution of Dequantize, Conv, Quantize only where the bias has the scale of the sums
// (np.allclose with these tolerances) and no zero point; otherwise, and for signed activations on x86, it computes in
// float, where a bias counts for what it stands for.
bool HasScaleOfSums(const QTensor& bias, const QTensor& x, const QTensor& w) {
  const std::vector<float>& scales = bias.q.scales;
  const size_t channels = std::max(scales.size(), w.q.scales.size());
  if (x.q.scales.size() != 1 || scales.empty() || w.q.scales.empty()) return false;
  const bool tolerant = x.tensor.type == v1::DATA_TYPE_UINT8;
  const double absolute = tolerant ? 1e-6 : 0, relative = tolerant ? 1e-2 : 1e-5;
  for (size_t c = 0; c < channels; ++c) {
    if (bias.q.zero_point(c) != 0) return false;
    const double expected = static_cast<double>(x.q.scales[0]) * w.q.scales[w.q.scales.size() == 1 ? 0 : c];
    const double stated = scales[scales.size() == 1 ? 0 : c];
    if (!(std::abs(stated - expected) <= absolute + relative * std::abs(expected))) return false;
  }
  return true;
}

// Where the runtime reads a quantized bias for what it stands for: in steps of the sums' scales.
absl::Status InStepsOfSums(const QTensor& bias, const QTensor& x, const QTensor& w, std::vector<int64_t>& steps) {
  const std::vector<float>& scales = bias.q.scales;
  const auto fits = [&](const std::vector<float>& some) { return some.size() == 1 || some.size() == steps.size(); };
  if (!fits(scales) || !fits(w.q.scales) || x.q.scales.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(scales.size(), " scales of a bias beside ", w.q.scales.size(),
                                                   " of weights, for ", steps.size(), " channels"));
  }
  for (size_t c = 0; c < steps.size(); ++c) {
    const double of_sums = static_cast<double>(x.q.scales[0]) * w.q.scales[w.q.scales.size() == 1 ? 0 : c];
    const double ratio = scales[scales.size() == 1 ? 0 : c] / of_sums;
    // Within the rounding of float32 they are one scale.
    if (std::abs(ratio - 1) < 1e-5 && bias.q.zero_point(c) == 0) continue;
    const double rescaled = std::nearbyint((static_cast<double>(steps[c]) - bias.q.zero_point(c)) * ratio);
    if (!(std::abs(rescaled) < 9e18)) {
      return absl::InvalidArgumentError(absl::StrCat("a bias of ", rescaled, " steps in channel ", c));
    }
    steps[c] = static_cast<int64_t>(rescaled);
  }
  return absl::OkStatus();
}

// What each channel's bias stands for beyond what is added to its sums, in steps of the output. `factor`: of both.
std::vector<float> BiasRests(const QTensor* bias, const Requantization& added, const QTensor& x, const QTensor& w,
                             const QTensor& out, double factor) {
  std::vector<float> rests(added.biases.size(), 0.0f);
  if (bias == nullptr || !bias->q.quantized()) return rests;
  const std::vector<float>& scales = bias->q.scales;
  const std::vector<int64_t> stored = Load<int64_t>(bias->tensor);
  if (scales.size() != 1 && scales.size() != rests.size()) return rests;
  for (size_t c = 0; c < rests.size(); ++c) {
    const double of_sums = static_cast<double>(x.q.scales[0]) * w.q.scales[w.q.scales.size() == 1 ? 0 : c];
    const double stated = static_cast<double>(stored[c] - bias->q.zero_point(c)) * scales[scales.size() == 1 ? 0 : c];
    rests[c] = static_cast<float>(factor * (stated - of_sums * added.biases[c]) / out.q.scales[0]);
  }
  return rests;
}

// LiteRT's, of int16: as wide as the operator states its bias to be, or else 64 bits. Its optimized fully connected
// layer adds in 32 bits where there is no bias and nothing is stated.
absl::StatusOr<int> AccumulatorBits16(const Profile& profile, const KernelCall& call, const QTensor* bias) {
  const Attributes& attributes = AttributesOf(call);
  if (attributes.Has("accumulator_bits")) return static_cast<int>(attributes.Int("accumulator_bits", 64));
  const bool optimized = call.op == OpId::kLinear && !profile.reference_kernels;
  const bool narrow = bias != nullptr && bias->tensor.type == v1::DATA_TYPE_INT32;
  if (optimized && (bias == nullptr || narrow)) return 32;
  if (narrow)
    return absl::UnimplementedError("LiteRT reads a bias of int32 as int64 where the operator does not say so");
  return 64;
}

// How it then requantizes: the optimized kernels by ruy, but for the transposed convolution.
Rescale Rescale32(const Profile& profile, OpId op, Rescale rescale64) {
  if (!profile.reference_kernels && op != OpId::kConvTranspose) return Rescale::kDoubleRoundingUp;
  return rescale64 == Rescale::kMultiplier15 ? Rescale::kDoubleRounding : rescale64;
}

}  // namespace

absl::StatusOr<Centered> CenteredElements(const QTensor& value) {
  if (!IsInteger(value.tensor.type) || BitWidth(value.tensor.type) > 16) {
    return absl::UnimplementedError(
        absl::StrCat("sums of products of elements of type ", DataTypeName(value.tensor.type)));
  }
  Centered out;
  const ScaleIndex scale_of(value.q, value.tensor.dims);
  const Quantization& q = value.q;
  const bool one = q.zero_points.size() <= 1 || scale_of.per_tensor();
  const int64_t first = q.zero_point();
  WithInteger(value.tensor.type, [&](auto zero) {
    const auto values = value.tensor.as<decltype(zero)>();
    out.narrow.resize(values.size());
    const auto at = [&](size_t i) -> int32_t {
      return static_cast<int32_t>(values[i]) - static_cast<int32_t>(one ? first : q.zero_point(scale_of(i)));
    };
    int32_t low = 0, high = 0;
    if (one) {
      const int32_t z = static_cast<int32_t>(first);
      for (size_t i = 0; i < values.size(); ++i) {
        const int32_t x = static_cast<int32_t>(values[i]) - z;
        low = std::min(low, x);
        high = std::max(high, x);
        out.narrow[i] = static_cast<int16_t>(x);
      }
    } else {
      for (size_t i = 0; i < values.size(); ++i) {
        const int32_t x = at(i);
        low = std::min(low, x);
        high = std::max(high, x);
        out.narrow[i] = static_cast<int16_t>(x);
      }
    }
    out.largest = std::max<int64_t>(-static_cast<int64_t>(low), high);
    if (low < INT16_MIN || high > INT16_MAX) {
      out.wide.resize(values.size());
      for (size_t i = 0; i < values.size(); ++i) out.wide[i] = at(i);
      out.narrow.clear();
    }
  });
  return out;
}

void Widen(Centered& operand) {
  if (!operand.is_narrow()) return;
  operand.wide.assign(operand.narrow.begin(), operand.narrow.end());
  operand.narrow.clear();
}

Centered Gathered(const Centered& from, absl::Span<const int64_t> index) {
  Centered to;
  to.largest = from.largest;
  if (from.is_narrow()) {
    to.narrow.resize(index.size());
    for (size_t i = 0; i < index.size(); ++i) to.narrow[i] = index[i] < 0 ? 0 : from.narrow[index[i]];
  } else {
    to.wide.resize(index.size());
    for (size_t i = 0; i < index.size(); ++i) to.wide[i] = index[i] < 0 ? 0 : from.wide[index[i]];
  }
  return to;
}

absl::StatusOr<Requantization> MakeRequantization(const Profile& profile, ByWidth form, const KernelCall& call,
                                                  const QTensor& x, const QTensor& w, const QTensor* bias,
                                                  int64_t channels, const QTensor& out) {
  Requantization to;
  const bool wide = BitWidth(x.tensor.type) > 8;
  Rescale rescale = wide ? form.bits16 : form.bits8;
  to.accumulator_bits = wide ? profile.accumulator_bits16 : profile.accumulator_bits8;
  std::vector<int64_t> biases;
  if (bias != nullptr) {
    if (bias->tensor.type != v1::DATA_TYPE_INT32 && bias->tensor.type != v1::DATA_TYPE_INT64) {
      return absl::UnimplementedError(absl::StrCat("a bias of type ", DataTypeName(bias->tensor.type)));
    }
    biases = Load<int64_t>(bias->tensor);
    if (static_cast<int64_t>(biases.size()) != channels) {
      return absl::InvalidArgumentError(
          absl::StrCat("a bias of ", biases.size(), " elements for ", channels, " channels"));
    }
    if (bias->q.quantized() && x.q.quantized() && w.q.quantized()) {
      if (profile.family == Family::kOnnxRuntime) {
        // Its Gemm of unsigned activations adds the integers, whatever they stand for.
        const bool added_as_stored = call.op == OpId::kGemm && x.tensor.type == v1::DATA_TYPE_UINT8;
        if (!added_as_stored && !HasScaleOfSums(*bias, x, w)) {
          return absl::UnimplementedError("its bias has another scale than input times weight");
        }
      } else if (profile.family != Family::kLiteRt) {
        if (absl::Status status = InStepsOfSums(*bias, x, w, biases); !status.ok()) return status;
      }
    }
  }
  if (wide && profile.family == Family::kLiteRt) {
    const absl::StatusOr<int> bits = AccumulatorBits16(profile, call, bias);
    if (!bits.ok()) return bits.status();
    to.accumulator_bits = *bits;
    if (*bits == 32) rescale = Rescale32(profile, call.op, rescale);
  }
  if (out.tensor.type == v1::DATA_TYPE_INT32 && !out.q.quantized()) {
    to.raw = true;
    to.low = INT32_MIN;
    to.high = INT32_MAX;
    to.channels.resize(biases.empty() ? 1 : channels);
    for (size_t c = 0; c < biases.size(); ++c) to.channels[c].bias = biases[c];
    return to;
  }
  if (rescale == Rescale::kNone) {
    return absl::UnimplementedError(
        absl::StrCat(profile.name, " has no integer kernel for inputs of type ", DataTypeName(x.tensor.type)));
  }
  if (!IsQuantizedInteger(x) || !w.q.quantized() || !IsQuantizedInteger(out) || BitWidth(out.tensor.type) > 32) {
    return absl::UnimplementedError("an operand that is not quantized integers");
  }
  if (x.q.scales.size() != 1 || out.q.scales.size() != 1) {
    return absl::UnimplementedError("an activation with a scale for each channel");
  }
  if (w.q.block > 0) return absl::UnimplementedError("weights quantized in blocks");
  if (w.q.scales.size() != 1 && static_cast<int64_t>(w.q.scales.size()) != channels) {
    return absl::InvalidArgumentError(absl::StrCat(w.q.scales.size(), " weight scales for ", channels, " channels"));
  }
  to.form = rescale;
  // Of the sums with their bias, as ONNX Runtime's QGemm has it: the scale of the input times it comes first.
  const float x_scale = static_cast<float>(AttributesOf(call).Float("sum_factor", 1)) * x.q.scales[0];
  for (const int64_t b : biases) {
    to.largest_bias = std::max<int64_t>(to.largest_bias, b < 0 ? -std::max<int64_t>(b, -INT64_MAX) : b);
  }
  to.scales.resize(static_cast<size_t>(channels));
  to.biases.resize(static_cast<size_t>(channels), 0);
  to.channels.resize(w.q.scales.size() == 1 && biases.empty() ? 1 : channels);
  for (int64_t c = 0; c < channels; ++c) {
    const double multiplier =
        RealMultiplier(rescale, x_scale, w.q.scales[w.q.scales.size() == 1 ? 0 : c], out.q.scales[0]);
    to.scales[c] = static_cast<float>(multiplier);
    if (!biases.empty()) to.biases[c] = Wrap32(biases[c]);
    if (c >= static_cast<int64_t>(to.channels.size())) continue;
    if (absl::Status status = to.channels[c].rescaler.Set(rescale, multiplier); !status.ok()) return status;
    if (!biases.empty()) to.channels[c].bias = biases[c];
  }
  if (call.use != nullptr) to.bias_rests = BiasRests(bias, to, x, w, out, AttributesOf(call).Float("sum_factor", 1));
  const RealBounds real = RealActivationBounds(AttributesOf(call), out);
  to.least = real.least;
  to.most = real.most;
  to.zero_point = out.q.zero_point();
  const Bounds bounds = ActivationBounds(AttributesOf(call), out);
  to.low = bounds.low;
  to.high = bounds.high;
  return to;
}

void StoreSums(const int64_t* sums, int64_t columns, const Requantization& requantization, int64_t first_channel,
               Destination to, AccumulatorUse* use) {
  const std::vector<Channel>& channels = requantization.channels;
  const int bits = requantization.accumulator_bits;
  if (use != nullptr) {
    use->bits_available = bits;
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t bias = channels[channels.size() == 1 ? 0 : first_channel + c].bias;
      int64_t total = 0;
      const bool beyond = __builtin_add_overflow(sums[c], bias, &total);
      const int needed = beyond ? 65 : SignedBits(total);
      use->bits_used = std::max(use->bits_used, needed);
      if (needed > bits) ++use->overflows;
    }
  }
  WithInteger(to.tensor->type, [&](auto zero) {
    using T = decltype(zero);
    T* out = to.tensor->as<T>().data() + to.offset;
    for (int64_t c = 0; c < columns; ++c) {
      const Channel& channel = channels[channels.size() == 1 ? 0 : first_channel + c];
      const uint64_t sum = static_cast<uint64_t>(sums[c]) + static_cast<uint64_t>(channel.bias);
      const int64_t total = WrapTo(static_cast<int64_t>(sum), bits);
      out[c * to.column_stride] =
          static_cast<T>(requantization.raw ? Wrap32(total)
                                            : channel.rescaler(total, requantization.zero_point, requantization.low,
                                                               requantization.high));
    }
  });
}

void MultiplyRows(const Centered& a, int64_t a_offset, const Centered& b, int64_t b_offset, int64_t rows,
                  int64_t columns, int64_t depth, const Requantization& requantization, int64_t first_channel,
                  Destination to, AccumulatorUse* use) {
  const bool narrow = a.is_narrow() && b.is_narrow();
  const bool fits = narrow && static_cast<__int128>(a.largest) * b.largest * depth <= INT32_MAX;
  std::vector<int64_t> sums(static_cast<size_t>(kTile * columns));
  for (int64_t first = 0; first < rows; first += kTile) {
    const int64_t some = std::min(kTile, rows - first);
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < some; ++r) {
        const int64_t at = a_offset + (first + r) * depth, with = b_offset + c * depth;
        sums[r * columns + c] = fits     ? DotNarrow(&a.narrow[at], &b.narrow[with], depth)
                                : narrow ? DotNarrowLong(&a.narrow[at], &b.narrow[with], depth)
                                         : DotWide(&a.wide[at], &b.wide[with], depth);
      }
    }
    for (int64_t r = 0; r < some; ++r) {
      Destination row = to;
      row.offset += (first + r) * to.row_stride;
      StoreSums(&sums[r * columns], columns, requantization, first_channel, row, use);
    }
  }
}

bool FitsFast(const Centered& a, const Centered& b, int64_t depth, const Requantization& requantization) {
  if (requantization.raw || !a.is_narrow() || !b.is_narrow() || ExactDepth(a.largest, b.largest) < 1) return false;
  const __int128 most = static_cast<__int128>(a.largest) * b.largest * depth + requantization.largest_bias;
  return most <= INT32_MAX && requantization.accumulator_bits >= 32;
}

void StoreSums32(const int32_t* sums, int64_t columns, const Requantization& requantization, int64_t first_channel,
                 Destination to, AccumulatorUse* use) {
  if (requantization.form != Rescale::kFloat || requantization.raw) {
    constexpr int64_t kPart = 64;
    int64_t wide[kPart];
    for (int64_t c = 0; c < columns; c += kPart) {
      const int64_t some = std::min(kPart, columns - c);
      std::copy_n(sums + c, some, wide);
      Destination part = to;
      part.offset += c * to.column_stride;
      StoreSums(wide, some, requantization, first_channel + c, part, use);
    }
    return;
  }
  const int32_t* biases = requantization.biases.data() + first_channel;
  if (use != nullptr) {
    int32_t low = 0, high = 0;
    for (int64_t c = 0; c < columns; ++c) {
      low = std::min(low, sums[c] + biases[c]);
      high = std::max(high, sums[c] + biases[c]);
    }
    use->bits_available = requantization.accumulator_bits;
    use->bits_used = std::max({use->bits_used, SignedBits(low), SignedBits(high)});
  }
  constexpr int64_t kPart = 256;
  int32_t rescaled[kPart];
  const int32_t zero_point = static_cast<int32_t>(requantization.zero_point);
  const int32_t low = static_cast<int32_t>(requantization.low) - zero_point;
  const int32_t high = static_cast<int32_t>(requantization.high) - zero_point;
  for (int64_t first = 0; first < columns; first += kPart) {
    const int64_t some = std::min(kPart, columns - first);
    RescaleRow(sums + first, biases + first, requantization.scales.data() + first_channel + first, some, low, high,
               zero_point, rescaled);
    WithInteger(to.tensor->type, [&](auto zero) {
      using T = decltype(zero);
      T* out = to.tensor->as<T>().data() + to.offset + first * to.column_stride;
      if (to.column_stride == 1) {
        for (int64_t c = 0; c < some; ++c) out[c] = static_cast<T>(rescaled[c]);
        return;
      }
      for (int64_t c = 0; c < some; ++c) out[c * to.column_stride] = static_cast<T>(rescaled[c]);
    });
  }
}

void MultiplyRowsFast(const float* a, int64_t largest_a, int64_t largest_b, const float* panels, int64_t rows,
                      int64_t columns, int64_t depth, const Requantization& requantization, int64_t first_channel,
                      Destination to, AccumulatorUse* use) {
  const int64_t exact = ExactDepth(largest_a, largest_b);
  const int64_t all = (columns + kPanel - 1) / kPanel;
  std::vector<int32_t> sums(static_cast<size_t>(kTileRows * all * kPanel));
  for (int64_t first = 0; first < rows; first += kTileRows) {
    const int64_t some = std::min(kTileRows, rows - first);
    MultiplyTile(a + first * depth, some, depth, panels, all, exact, sums.data());
    for (int64_t r = 0; r < some; ++r) {
      Destination row = to;
      row.offset += (first + r) * to.row_stride;
      StoreSums32(&sums[r * all * kPanel], columns, requantization, first_channel, row, use);
    }
  }
}

void NoteWorstCase(const QTensor& x, const Centered& w, int64_t channels, int64_t depth,
                   const Requantization& requantization, AccumulatorUse* use) {
  if (use == nullptr) return;
  const int64_t high = MaxOf(x.tensor.type) - x.q.zero_point(), low = MinOf(x.tensor.type) - x.q.zero_point();
  const std::vector<Channel>& by_channel = requantization.channels;
  for (int64_t c = 0; c < channels; ++c) {
    int64_t all = 0, magnitude = 0;
    const auto sum = [&](const auto* weights) {
      for (int64_t i = 0; i < depth; ++i) {
        all += weights[i];
        magnitude += std::abs(static_cast<int64_t>(weights[i]));
      }
    };
    if (w.is_narrow()) {
      sum(w.narrow.data() + c * depth);
    } else {
      sum(w.wide.data() + c * depth);
    }
    const __int128 positive = (all + magnitude) / 2, negative = (all - magnitude) / 2;
    const __int128 bias = by_channel[by_channel.size() == 1 ? 0 : c].bias;
    for (const __int128 extreme : {positive * high + negative * low + bias, positive * low + negative * high + bias}) {
      const bool fits = extreme >= INT64_MIN && extreme <= INT64_MAX;
      use->bits_worst_case = std::max(use->bits_worst_case, fits ? SignedBits(static_cast<int64_t>(extreme)) : 65);
    }
  }
}

}  // namespace quantgate::simulator
