// Sums of products of integers, exact whatever the width, and what becomes of them.
//
// Operands are centered: their zero points are subtracted first, so that padding is 0 and no correction is needed.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_PRODUCTS_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_PRODUCTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {

// Centered elements, in 16 bits where they fit.
struct Centered {
  std::vector<int16_t> narrow;
  std::vector<int32_t> wide;  // used where `narrow` is empty
  int64_t largest = 0;        // absolute value
  bool is_narrow() const { return wide.empty(); }
};

// INVALID_ARGUMENT: the value is not integers of at most 16 bits.
absl::StatusOr<Centered> CenteredElements(const QTensor& value);
// The same elements in 32 bits.
void Widen(Centered& operand);

// Permutes: element i of the result is element index[i], or 0 where index[i] is negative.
Centered Gathered(const Centered& from, absl::Span<const int64_t> index);

// From the exact sums of one output channel to its outputs.
struct Channel {
  Rescaler rescaler;
  int64_t bias = 0;
};

struct Requantization {
  std::vector<Channel> channels;  // one for all, or one a channel
  bool raw = false;               // the accumulators themselves are the output (int32)
  int64_t zero_point = 0, low = 0, high = 0;
  int accumulator_bits = 32;
  // For vectors: one of each a channel where there are several channels; filled by MakeRequantization.
  Rescale form = Rescale::kNone;
  std::vector<float> scales;
  std::vector<int32_t> biases;
  int64_t largest_bias = 0;
  // What the sums stand for, in steps of the output: float(sum) * scales[c] + bias_rests[c], within [least, most] of
  // the activations that are fused in. bias_rests are filled where KernelCall::use is asked for.
  std::vector<float> bias_rests;
  float least = 0, most = 0;
};

// For accumulators of x times w (weights with one scale, or one for each of `channels`), into out; bias: null or int32
// and int64 of as many elements as there are channels. INVALID_ARGUMENT names a number that no multiplier can be.
absl::StatusOr<Requantization> MakeRequantization(const Profile& profile, ByWidth form, const KernelCall& call,
                                                  const QTensor& x, const QTensor& w, const QTensor* bias,
                                                  int64_t channels, const QTensor& out);

// Where results go: element of row r and column c is at r * row_stride + c * column_stride of the output.
struct Destination {
  Tensor* tensor = nullptr;
  int64_t offset = 0, row_stride = 1, column_stride = 1;
};

// rows of `a` (rows x depth, at element a_offset) times rows of `b` (columns x depth, at b_offset), requantized with
// the channels from `first_channel` on.
void MultiplyRows(const Centered& a, int64_t a_offset, const Centered& b, int64_t b_offset, int64_t rows,
                  int64_t columns, int64_t depth, const Requantization& requantization, int64_t first_channel,
                  Destination to, AccumulatorUse* use);

// Exact sums of one row of channels, already computed.
void StoreSums(const int64_t* sums, int64_t columns, const Requantization& requantization, int64_t first_channel,
               Destination to, AccumulatorUse* use);

// Whether sums of `depth` products and the biases cannot leave 32 bits, and are exact in parts of float32: then the
// functions below compute the same, faster.
bool FitsFast(const Centered& a, const Centered& b, int64_t depth, const Requantization& requantization);

// As MultiplyRows; `panels` as PackPanels makes them of b.
void MultiplyRowsFast(const float* a, int64_t largest_a, int64_t largest_b, const float* panels, int64_t rows,
                      int64_t columns, int64_t depth, const Requantization& requantization, int64_t first_channel,
                      Destination to, AccumulatorUse* use);

// Sums that fit 32 bits with their biases, of columns [0, columns).
void StoreSums32(const int32_t* sums, int64_t columns, const Requantization& requantization, int64_t first_channel,
                 Destination to, AccumulatorUse* use);

// The worst case over all inputs of x's type, from the weights (channels x depth) and the biases.
void NoteWorstCase(const QTensor& x, const Centered& w, int64_t channels, int64_t depth,
                   const Requantization& requantization, AccumulatorUse* use);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_PRODUCTS_H_
