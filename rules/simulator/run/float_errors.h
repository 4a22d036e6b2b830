// Sums over the differences of two float tensors, in double, vectorized for the processor that runs it (Highway).
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_FLOAT_ERRORS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_FLOAT_ERRORS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace quantgate::simulator {

// Of |reference - result| / scale. Where that is not finite, nothing counts.
struct Errors {
  double largest = 0, sum = 0;
  int64_t counted = 0;
};
// Both have one size.
void AddErrors(absl::Span<const float> reference, absl::Span<const float> result, double scale, Errors& errors);

// Sums of reference^2 and of (reference - result)^2. Where one is not finite, nothing counts.
struct Powers {
  double signal = 0, noise = 0;
};
Powers PowersOf(absl::Span<const float> reference, absl::Span<const float> result);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_FLOAT_ERRORS_H_
