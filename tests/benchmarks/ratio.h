// A ratio between two things measured in turns in one run, so that whatever else the machine does strikes both.
#ifndef QUANTGATE_TESTS_BENCHMARKS_RATIO_H_
#define QUANTGATE_TESTS_BENCHMARKS_RATIO_H_

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace quantgate::benchmarks {

inline double Median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

template <typename Work>
double Seconds(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What this thread alone has spent: other load of the machine does not count.
template <typename Work>
double ThreadSeconds(Work work) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

// Pairs of seconds, as counters of the benchmark: `ratio` is the median of measured / against, `measured_us` and
// `against_us` the median times of what is measured and of what it is measured against.
class RatioRecorder {
 public:
  // The ratio of a rate is the other way around.
  enum Kind { kTime, kRate };
  void Add(double measured, double against, Kind kind = kTime) {
    measured_.push_back(measured);
    against_.push_back(against);
    ratios_.push_back(kind == kTime ? measured / against : against / measured);
  }

  double ratio() const { return Median(ratios_); }

  // `goal` 0: there is none.
  void Report(double goal, benchmark::State& state) const {
    state.counters["ratio"] = ratio();
    state.counters["measured_us"] = 1e6 * Median(measured_);
    state.counters["against_us"] = 1e6 * Median(against_);
    if (goal > 0) state.counters["goal"] = goal;
  }

 private:
  std::vector<double> measured_;
  std::vector<double> against_;
  std::vector<double> ratios_;
};

// "1k", "100k".
inline std::string SizeName(int nodes) { return absl::StrCat(nodes / 1000, "k"); }

}  // namespace quantgate::benchmarks

#endif  // QUANTGATE_TESTS_BENCHMARKS_RATIO_H_
