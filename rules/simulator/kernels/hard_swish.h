// HARD_SWISH of 8 bits as LiteRT's kernel has it: products of 16 bits (tflite/kernels/internal/reference/hard_swish.h).
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_HARD_SWISH_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_HARD_SWISH_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace quantgate::simulator {

class FixedHardSwish {
 public:
  // INVALID_ARGUMENT: scales that there is no multiplier for.
  static absl::StatusOr<FixedHardSwish> Make(float scale, int64_t zero_point, float out_scale, int64_t out_zero_point);

  // Of a stored integer of 8 bits, before the clamp to the output's type.
  int64_t operator()(int64_t x) const;

 private:
  struct Factor {
    int16_t mantissa = 0;
    int shift = 0;
  };
  static absl::StatusOr<Factor> FactorOf(float real);

  Factor gate_;    // to steps of 3 / 2^15, in which 3 is the whole range
  Factor output_;  // to steps of the output
  int64_t zero_point_ = 0, out_zero_point_ = 0;
};

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_HARD_SWISH_H_
