#include "rules/simulator/kernels/fixed_point.h"

#include <gemmlowp/fixedpoint/fixedpoint.h>

namespace quantgate::simulator {

using gemmlowp::FixedPoint;

int LeadingSignBits(int32_t x) { return __builtin_clrsb(x); }

int32_t FixedReciprocal(int32_t x, int integer_bits, int* bits_over_unit) {
  const int headroom_plus_one = x <= 0 ? 1 : __builtin_clz(static_cast<uint32_t>(x));
  *bits_over_unit = integer_bits - headroom_plus_one;
  const uint32_t shifted = (static_cast<uint32_t>(x) << headroom_plus_one) - (uint32_t{1} << 31);
  return gemmlowp::one_over_one_plus_x_for_x_in_0_1(FixedPoint<int32_t, 0>::FromRaw(static_cast<int32_t>(shifted)))
      .raw();
}

int32_t FixedExpOfNegative(int32_t x) {
  return gemmlowp::exp_on_negative_values(FixedPoint<int32_t, 5>::FromRaw(x > 0 ? 0 : x)).raw();
}

int16_t FixedLogistic16(int16_t x) { return gemmlowp::logistic(FixedPoint<int16_t, 3>::FromRaw(x)).raw(); }

int16_t FixedTanh16(int16_t x) { return gemmlowp::tanh(FixedPoint<int16_t, 3>::FromRaw(x)).raw(); }

}  // namespace quantgate::simulator
