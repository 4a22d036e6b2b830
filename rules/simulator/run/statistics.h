// What a node's result says about its numbers.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_STATISTICS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_STATISTICS_H_

#include "quantgate/v1/simulation.pb.h"
#include "rules/simulator/run/plan.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// Saturated and zero fractions of stored integers.
void CountEnds(const Slot& slot, const QTensor& stored, v1::SimulatedNode& node);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_STATISTICS_H_
