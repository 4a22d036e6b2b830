// A Relu in place, vectorized for the processor that runs it (Highway).
#ifndef QUANTGATE_RULES_SIMULATOR_FLOAT_RELU_H_
#define QUANTGATE_RULES_SIMULATOR_FLOAT_RELU_H_

#include "absl/types/span.h"

namespace quantgate::simulator {

// What is below zero becomes zero; what is not a number stays.
void Relu(absl::Span<float> values);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_FLOAT_RELU_H_
