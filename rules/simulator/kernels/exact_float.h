// Sums of products of small integers in float32, vectorized for the processor that runs it (Highway).
//
// A product of two integers, and a sum of such products, is exact in float32 while all partial sums stay below 2^24:
// the caller cuts sums to a depth where they must, and the parts are added in 32-bit integers.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_EXACT_FLOAT_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_EXACT_FLOAT_H_

#include <cstdint>
#include <vector>

namespace quantgate::simulator {

// Columns of a panel, rows of a tile.
inline constexpr int64_t kPanel = 16;
inline constexpr int64_t kTileRows = 8;

// Terms of a sum that stay exact for operands of these largest absolute values; 0: not even one.
int64_t ExactDepth(int64_t largest_a, int64_t largest_b);

// columns x depth as panels of kPanel columns, each (depth, kPanel), the last one filled up with zeros.
std::vector<float> PackPanels(const int16_t* b, int64_t columns, int64_t depth);

// sums (rows x count * kPanel) = a (rows x depth) times `count` panels, cut every `exact_depth` terms. rows <=
// kTileRows.
void MultiplyTile(const float* a, int64_t rows, int64_t depth, const float* panels, int64_t count, int64_t exact_depth,
                  int32_t* sums);

// sums[i] = sum over taps of x[tap][i] * w[tap * size + i]; null taps are zero.
void MultiplyTaps(const float* const* x, const float* w, int64_t taps, int64_t size, int32_t* sums);

// out[i] = clamp(rint(float(sums[i] + bias[i]) * scales[i]), low, high) + zero_point; low and high without zero point.
void RescaleRow(const int32_t* sums, const int32_t* bias, const float* scales, int64_t size, int32_t low, int32_t high,
                int32_t zero_point, int32_t* out);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_EXACT_FLOAT_H_
