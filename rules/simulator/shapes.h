// Shapes: broadcasting, axes, strides; for integers and floats alike.
#ifndef QUANTGATE_RULES_SIMULATOR_SHAPES_H_
#define QUANTGATE_RULES_SIMULATOR_SHAPES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace quantgate::simulator {

// The common shape of operands, NumPy's rules. INVALID_ARGUMENT where they have none.
absl::StatusOr<std::vector<int64_t>> BroadcastShape(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

// For every element of shape `to`, which element of shape `from` it repeats. Empty: the same one (equal shapes).
std::vector<int64_t> BroadcastIndex(absl::Span<const int64_t> from, absl::Span<const int64_t> to);

// 0 <= result < rank. INVALID_ARGUMENT names an axis that the rank does not have.
absl::StatusOr<int> NormalizedAxis(int64_t axis, size_t rank);

// Row-major strides, in elements.
std::vector<int64_t> StridesOf(absl::Span<const int64_t> dims);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_SHAPES_H_
