// Where the simulator is known not to give a runtime's numbers, by how much, and why.
#ifndef QUANTGATE_TESTS_RULES_SIMULATOR_KNOWN_DIFFERENCES_H_
#define QUANTGATE_TESTS_RULES_SIMULATOR_KNOWN_DIFFERENCES_H_

#include <string>

#include "tests/rules/simulator/record.h"

namespace quantgate::simulator {

// Whether the difference is within what is listed for the record's operator and the oracle; no difference always is.
bool IsKnown(const Record& record, const std::string& oracle, const Difference& difference);

// Sums of products without an integer kernel under a profile: those are computed in float, around the kernels.
bool IsComputedInFloat(const Record& record, const std::string& oracle);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_TESTS_RULES_SIMULATOR_KNOWN_DIFFERENCES_H_
