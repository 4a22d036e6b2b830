// Operators that move elements and compute nothing.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_MOVE_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_MOVE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {

// out, of shape `dims`, has element index[i] of `in` at i; `fill`, an integer or a float as the type is, where index[i]
// is negative. Where the parameters of `in` and `out` differ, elements are requantized as the profile does it,
// unless `op` is one that copies in this profile.
absl::Status Move(const Profile& profile, OpId op, const QTensor& in, absl::Span<const int64_t> dims,
                  absl::Span<const int64_t> index, double fill, QTensor& out);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_MOVE_H_
