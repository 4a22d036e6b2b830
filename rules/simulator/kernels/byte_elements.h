// Element-wise arithmetic on bytes, vectorized for the processor that runs it (Highway). Results are those of the
// formulas with float32 operations, each rounded to nearest, ties to even.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_ELEMENTS_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_ELEMENTS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace quantgate::simulator {

// 8-bit integers of one sign as they lie in a tensor. They are computed with as (byte ^ flip) - offset.
struct ByteSign {
  explicit ByteSign(bool is_signed) : flip(is_signed ? 0x80 : 0), offset(is_signed ? 128 : 0) {}
  uint8_t flip;
  int32_t offset;
};

// out = clamp(rint(fma(x, a_factor, fma(y, b_factor, fixed))), low, high). The factors are finite, and so are sums.
struct ByteSum {
  float a_factor = 0, b_factor = 0, fixed = 0;
  int32_t low = 0, high = 0;
  ByteSign a_sign{false}, b_sign{false}, out_sign{false};
};
void AddBytes(const ByteSum& sum, const uint8_t* a, const uint8_t* b, int64_t count, uint8_t* out);

// out = clamp(rint(x / scale), low - zero_point, high - zero_point) + zero_point; not a number becomes low.
void QuantizeBytes(absl::Span<const float> x, float scale, int32_t zero_point, int32_t low, int32_t high, ByteSign sign,
                   uint8_t* out);

// x = scale * (the integer that QuantizeBytes makes of x - zero_point).
void RoundToBytes(absl::Span<float> x, float scale, int32_t zero_point, int32_t low, int32_t high);

// out = scale * (x - zero_point).
void DequantizeBytes(const uint8_t* x, int64_t count, float scale, int32_t zero_point, ByteSign sign, float* out);
// The same of runs of `run` elements, one after the other, each with a scale of its own. Zero points: as many, or
// empty: all 0.
void DequantizeRuns(const uint8_t* x, int64_t run, absl::Span<const float> scales,
                    absl::Span<const int64_t> zero_points, ByteSign sign, float* out);

// Row r, column c of the result: the largest of taps[t][r * step + c] over all taps, clamped to [low, high]. Up to 15
// bytes beyond what is asked for are read.
struct PlaneMaximum {
  absl::Span<const uint8_t* const> taps;
  int64_t rows = 0, columns = 0, step = 0;
  int32_t low = 0, high = 0;
  ByteSign sign{false};
};
void MaximizePlane(const PlaneMaximum& plane, uint8_t* out);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_ELEMENTS_H_
