// What simulated numbers can say. A simulation (rules/simulator/run) adds these; no check of a graph alone finds them.
#ifndef QUANTGATE_RULES_ENGINE_SIMULATION_RULES_H_
#define QUANTGATE_RULES_ENGINE_SIMULATION_RULES_H_

#include "absl/types/span.h"
#include "rules/engine/rule.h"

namespace quantgate {

extern const RuleInfo kLostPrecision;        // SM001
extern const RuleInfo kSaturatedValues;      // SM002
extern const RuleInfo kAccumulatorOverflow;  // SM003
extern const RuleInfo kPossibleOverflow;     // SM004
extern const RuleInfo kKernelDisagreement;   // SM005
extern const RuleInfo kVanishedValues;       // SM006

absl::Span<const RuleInfo* const> SimulationRules();

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_SIMULATION_RULES_H_
