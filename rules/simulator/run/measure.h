// A node's result beside its reference, as the report has it.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_MEASURE_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_MEASURE_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "quantgate/v1/simulation.pb.h"
#include "rules/simulator/profile.h"
#include "rules/simulator/run/plan.h"
#include "rules/simulator/run/values.h"

namespace quantgate::simulator {

// Called before elements of the reference and of real space are read, once for each.
using Prepare = absl::FunctionRef<absl::Status(size_t first, size_t count)>;

// Sets the node's statistics. `unrounded`: the real numbers that affine space's result was rounded from, in the same
// space; null, or not of real numbers: the node's own error is not set here.
absl::Status Measure(const Profile& profile, const Slot& slot, const Held& held, const Tensor* unrounded,
                     v1::SimulatedNode& node);
// The three results have one size.
absl::Status Measure(const Profile& profile, const Slot& slot, const Held& held, const Tensor* unrounded,
                     Prepare prepare, v1::SimulatedNode& node);

// Of two sums of squares; nothing is set where one of them is zero or not finite.
void SetOwnError(double signal, double noise, v1::SimulatedNode& node);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_MEASURE_H_
