// Sums over the differences of two float tensors, in double, vectorized for the processor that runs it (Highway).
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_FLOAT_ERRORS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_FLOAT_ERRORS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace quantgate::simulator {

// A sum is kept in eight parts, element i of each call in part i % 8, whatever a vector holds: the same numbers on
// every processor.
struct PartialSum {
  static constexpr size_t kParts = 8;
  alignas(64) double of[kParts] = {};

  double Total() const {
    double total = 0;
    for (const double part : of) total += part;
    return total;
  }
};

// Of reference^2 and of (reference - result)^2.
struct Powers {
  PartialSum signal, noise;
};

// Of |reference - result|.
struct Errors {
  PartialSum sum;
  double largest = 0;
  int64_t counted = 0;
};

// Where reference - result is not finite, nothing counts. Both have one size. Null: not asked for; one is.
void AddDifferences(absl::Span<const float> reference, absl::Span<const float> result, Powers* powers, Errors* errors);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_FLOAT_ERRORS_H_
