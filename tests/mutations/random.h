// Choices that follow from a seed alone, with any standard library: a case can be made again by its number.
#ifndef QUANTGATE_TESTS_MUTATIONS_RANDOM_H_
#define QUANTGATE_TESTS_MUTATIONS_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>

namespace quantgate::mutations {

class Random {
 public:
  Random(uint64_t seed, uint64_t number) : engine_(seed * 0x9E3779B97F4A7C15U + number) {}

  // From 0 to count - 1; 0 when there is nothing to choose from.
  size_t Below(size_t count) { return count == 0 ? 0 : static_cast<size_t>(engine_() % count); }
  bool OneIn(size_t count) { return Below(count) == 0; }

  // What programs forget about.
  int64_t Integer() {
    constexpr int64_t kValues[] = {0,
                                   1,
                                   -1,
                                   2,
                                   3,
                                   4,
                                   7,
                                   8,
                                   16,
                                   32,
                                   127,
                                   128,
                                   -128,
                                   255,
                                   256,
                                   32767,
                                   -32768,
                                   65536,
                                   1'000'000,
                                   std::numeric_limits<int32_t>::max(),
                                   std::numeric_limits<int32_t>::min(),
                                   int64_t{1} << 31,
                                   int64_t{1} << 32,
                                   int64_t{1} << 40,
                                   int64_t{1} << 62,
                                   std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::min()};
    return kValues[Below(std::size(kValues))];
  }
  double Real() {
    using Limits = std::numeric_limits<float>;
    constexpr double kValues[] = {0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  1.0 / 256,
                                  1e-12,
                                  -1e-3,
                                  Limits::denorm_min(),
                                  Limits::min(),
                                  Limits::max(),
                                  -Limits::max(),
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::quiet_NaN(),
                                  std::numeric_limits<double>::max()};
    return kValues[Below(std::size(kValues))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace quantgate::mutations

#endif  // QUANTGATE_TESTS_MUTATIONS_RANDOM_H_
