// What a node's result says about its numbers.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_STATISTICS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_STATISTICS_H_

#include <optional>

#include "absl/types/span.h"
#include "quantgate/v1/simulation.pb.h"
#include "rules/simulator/run/plan.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// 10 log10(sum x^2 / sum (x - y)^2); nullopt: no noise, or no signal. NaN and infinity count as nothing that can be
// compared: such elements are left out.
std::optional<double> Sqnr(absl::Span<const float> reference, absl::Span<const float> result);

// Errors in steps of the slot's quantization; 0 where it has none.
void CompareInSteps(const Slot& slot, const Quantization& q, absl::Span<const float> reference,
                    absl::Span<const float> result, double& max_error, double& mean_error);

// Saturated and zero fractions of stored integers.
void CountEnds(const Slot& slot, const QTensor& stored, v1::SimulatedNode& node);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_STATISTICS_H_
