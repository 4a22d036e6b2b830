// Sums of products of bytes, vectorized for the processor that runs it (Highway).
//
// Rows of signed bytes (weights) are multiplied with columns of unsigned bytes (activations), and what comes out is
// requantized at once. Sums are 32 bits wide and modulo 2^32: the caller knows that the results fit. A column is
// an output position, so that results of one channel lie next to each other.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_PRODUCTS_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_PRODUCTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace quantgate::simulator {

// Columns of a panel. A panel has (depth / 4, kPanelColumns, 4) bytes: four terms of a sum lie next to each other.
inline constexpr int64_t kPanelColumns = 64;
// Bytes that may be read beyond the end of what is passed, or written beyond the end of a panel.
inline constexpr int64_t kSlack = 64;

// `count` bytes from `from` on, of each row.
struct Piece {
  int64_t from = 0, count = 0;
};

// Fills a panel: row k of it is the pieces of rows[k] one after the other, each byte xor `flip`. As many rows as a
// multiple of 4, at most kPanelColumns bytes a row. No byte from `end` on is read.
void PackPanel(absl::Span<const uint8_t* const> rows, absl::Span<const Piece> pieces, uint8_t flip, const uint8_t* end,
               uint8_t* panel);

// What becomes of sums: clamp(rint(float(sum + bias) * scale), low, high) + zero_point, as a byte; low and high are
// without the zero point.
struct ByteRescale {
  int32_t low = 0, high = 0, zero_point = 0;
  bool is_signed = false;
};
// The least and the largest sum with its bias, over all that were made; begins as {0, 0}.
struct SumRange {
  int32_t least = 0, most = 0;
};

// What results are away from the real numbers that the sums stand for: float(sum) * scale + rest, within
// [least, most]. Sums of squares, in steps of the output; the same numbers on every processor.
struct StepErrors {
  float least = 0, most = 0;
  double signal = 0, noise = 0;  // begin as 0
};

struct PanelProduct {
  const int8_t* weights = nullptr;  // rows x stride
  int64_t rows = 0, stride = 0;
  int64_t quads = 0;  // depth / 4; rows are filled up with zeros
  const uint8_t* panel = nullptr;
  int64_t columns = 0;            // at most kPanelColumns
  const int32_t* bias = nullptr;  // of each row
  const float* rest = nullptr;    // of each row; read where errors are asked for
};

// out[r * out_stride + c]; `scales` of each row; `range` and `errors` may be null.
void MultiplyPanel(const PanelProduct& product, const float* scales, const ByteRescale& rescale, uint8_t* out,
                   int64_t out_stride, SumRange* range, StepErrors* errors);
// The sums with their biases.
void MultiplyPanel(const PanelProduct& product, int32_t* out, int64_t out_stride, SumRange* range);

// Positions of a plane that are computed at a time; those that are outputs have a bit.
inline constexpr int64_t kRunPositions = 64;
struct PlaneRun {
  int64_t position = 0;
  uint64_t there = 0;
};
// Of `rows` rows of `columns` outputs, `step` positions from each other.
std::vector<PlaneRun> PlaneRuns(int64_t rows, int64_t columns, int64_t step);

// One channel of a depthwise convolution: the output at position i of the plane is the sum over taps t of
// weights[t] * ((plane[taps[t] + i] ^ flip) - zero_point), plus the bias. Results are the outputs, one after the other.
// There are so few taps that partial sums are exact in float32 (ExactDepth).
struct PlaneProduct {
  const uint8_t* plane = nullptr;
  int64_t size = 0;                 // of the plane; kSlack bytes beyond are read
  absl::Span<const int64_t> taps;   // where each lies for position 0
  const int8_t* weights = nullptr;  // filled up with zeros to a multiple of 4
  absl::Span<const PlaneRun> runs;
  uint8_t flip = 0;
  int32_t zero_point = 0;  // of the bytes with `flip`
  int32_t bias = 0;
  float rest = 0;         // as that of a row
  float* room = nullptr;  // size + kSlack elements, of any content
};
void MultiplyPlane(const PlaneProduct& product, float scale, const ByteRescale& rescale, uint8_t* out, SumRange* range,
                   StepErrors* errors);
void MultiplyPlane(const PlaneProduct& product, int32_t* out, SumRange* range);

// Of signed bytes: their sum, and that of the positive ones.
struct ByteSums {
  int32_t all = 0, positive = 0;
};
ByteSums SumBytes(const int8_t* from, int64_t count);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_PRODUCTS_H_
