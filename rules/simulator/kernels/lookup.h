// LiteRT's interpolated tables of 513 entries, for functions of 16 bits.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_LOOKUP_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_LOOKUP_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace quantgate::simulator {

// 512 steps over the whole input range, and the end; each entry is moved by half of the interpolation's error in the
// middle of its step.
class InterpolatedTable {
 public:
  template <typename Float, typename Function>
  static InterpolatedTable Make(Float input_scale, int32_t input_zero, Float output_scale, int32_t output_zero,
                                Function function) {
    const Float in_low = input_scale * (INT16_MIN - input_zero), in_high = input_scale * (INT16_MAX - input_zero);
    const Float out_low = output_scale * (INT16_MIN - output_zero), out_high = output_scale * (INT16_MAX - output_zero);
    const Float step = (in_high - in_low) / 512, half = step / 2;
    const Float inverse = static_cast<Float>(65536) / (out_high - out_low);
    const auto clamped = [](Float x) {
      return static_cast<int16_t>(std::min<Float>(std::max<Float>(x, INT16_MIN), INT16_MAX));
    };
    InterpolatedTable table;
    for (int i = 0; i < 512; ++i) {
      const Float here = function(in_low + i * step);
      const Float middle = function(in_low + i * step + half);
      const Float next = function(in_low + (i + 1) * step);
      const Float sample = std::round(here * inverse);
      const Float interpolated = std::round((next * inverse + std::round(here * inverse)) / 2);
      const Float error = interpolated - std::round(middle * inverse);
      table.entries_[i] = clamped(sample - std::round(error / 2));
    }
    table.entries_[512] = clamped(std::round(function(in_high) * inverse));
    return table;
  }

  int16_t operator()(int16_t x) const {
    const int index = 256 + (x >> 7);
    const int slope = static_cast<int16_t>(entries_[index + 1] - entries_[index]);
    return static_cast<int16_t>(entries_[index] + ((slope * (x & 0x7f) + 64) >> 7));
  }

 private:
  std::array<int16_t, 513> entries_{};
};

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_LOOKUP_H_
