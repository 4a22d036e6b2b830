// Functions of one real number that float and integer kernels have in common.
#ifndef QUANTGATE_RULES_SIMULATOR_FUNCTIONS_H_
#define QUANTGATE_RULES_SIMULATOR_FUNCTIONS_H_

#include <cmath>
#include <cstdint>

namespace quantgate::simulator {

// A softplus of slope `beta`; beyond the threshold it is the line that it comes near.
inline float Softplus(float x, float beta, float threshold) {
  return beta * x > threshold ? x : std::log1p(std::exp(beta * x)) / beta;
}

// To decimal places, ties to even; fewer than none: to tens, hundreds, ...
inline float RoundedTo(float x, int64_t decimals) {
  const auto power = static_cast<float>(std::pow(10.0, std::fabs(static_cast<double>(decimals))));
  return decimals < 0 ? std::nearbyint(x / power) * power : std::nearbyint(x * power) / power;
}

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_FUNCTIONS_H_
