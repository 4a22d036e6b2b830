// How long one hostile file may take.
#ifndef QUANTGATE_TESTS_CLIENT_TIME_LIMIT_H_
#define QUANTGATE_TESTS_CLIENT_TIME_LIMIT_H_

#include <ctime>

namespace quantgate {

// Time of this process since it began: other programs do not count.
inline double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// What is promised holds for the builds that users have; those that count lines or watch memory are many times slower.
#ifdef NDEBUG
inline constexpr double kMaxSeconds = 2.0;
#else
inline constexpr double kMaxSeconds = 60.0;
#endif

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_CLIENT_TIME_LIMIT_H_
