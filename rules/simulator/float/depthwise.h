// Convolutions of one channel by one kernel. Each product is added to its sum with one rounding (a fused multiply-add),
// in the order of the taps: the same numbers on every processor.
#ifndef QUANTGATE_RULES_SIMULATOR_FLOAT_DEPTHWISE_H_
#define QUANTGATE_RULES_SIMULATOR_FLOAT_DEPTHWISE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace quantgate::simulator {

// A channel's planes (planes.h) as its taps read them.
struct ChannelTaps {
  // For each tap what it reads for the first output. A vector behind what its outputs ask for may be read.
  absl::Span<const float* const> from;
  int64_t rows = 0, columns = 0;  // of outputs
  int64_t step = 0;               // elements from one row of outputs to the next
};

// Parallel to taps.from, and what becomes of the sums.
struct ChannelWeights {
  const float* weights = nullptr;
  float bias = 0;
  bool relu = false;  // what is below 0 becomes 0
};

// to (rows, columns) = the sum of each tap's element by its weight, and the bias.
void ConvChannel(const ChannelTaps& taps, const ChannelWeights& weights, float* to);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_FLOAT_DEPTHWISE_H_
