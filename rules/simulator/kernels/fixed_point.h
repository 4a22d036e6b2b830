// Functions in fixed point, as gemmlowp defines them and LiteRT uses them. "Qi.f": i integer and f fraction bits.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_FIXED_POINT_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_FIXED_POINT_H_

#include <cstdint>

namespace quantgate::simulator {

// Redundant sign bits: how far x can be shifted left without changing its sign; 31 for 0 and -1.
int LeadingSignBits(int32_t x);

// 1 / x for x > 0 of `integer_bits` integer bits, as Q0.31 scaled into [1/2, 1) by 2^-bits_over_unit.
int32_t FixedReciprocal(int32_t x, int integer_bits, int* bits_over_unit);

// exp(x) in Q0.31 for x <= 0 in Q5.26.
int32_t FixedExpOfNegative(int32_t x);

// 1 / (1 + exp(-x)) and tanh(x) in Q0.15 for x in Q3.12.
int16_t FixedLogistic16(int16_t x);
int16_t FixedTanh16(int16_t x);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_FIXED_POINT_H_
