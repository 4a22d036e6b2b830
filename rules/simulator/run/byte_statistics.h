// Statistics of 8-bit results beside their reference, vectorized for the processor that runs it (Highway).
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_BYTE_STATISTICS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_BYTE_STATISTICS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "rules/simulator/run/float_errors.h"

namespace quantgate::simulator {

// 8-bit integers of one scale as they lie in a tensor, for scale * (x - zero_point).
struct StoredBytes {
  absl::Span<const uint8_t> bytes;
  bool is_signed = false;
  float scale = 0;
  int32_t zero_point = 0;
};

// Of at most this many elements, sums in float32 are near enough.
inline constexpr size_t kMostBytesAtOnce = 2048;

// As AddDifferences of the reference and of what the bytes stand for, with sums of float32: both have one size, at most
// kMostBytesAtOnce. The same numbers on every processor.
void AddByteDifferences(absl::Span<const float> reference, const StoredBytes& stored, Powers& powers, Errors& errors);

// Bytes that are at most `low` or at least `high`, and those that are `zero`: all three as the bytes lie there,
// compared as unsigned numbers after exclusive or with `flip`.
struct ByteEnds {
  uint8_t flip = 0, low = 0, high = 0, zero = 0;
  int64_t saturated = 0, zeros = 0;  // added to
};
void CountEnds(absl::Span<const uint8_t> bytes, ByteEnds& ends);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_BYTE_STATISTICS_H_
