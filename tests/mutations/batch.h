// Cases in a process of their own, which may crash, hang or take all memory.
#ifndef QUANTGATE_TESTS_MUTATIONS_BATCH_H_
#define QUANTGATE_TESTS_MUTATIONS_BATCH_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "tests/mutations/whole_check.h"

namespace quantgate::mutations {

// What is known of the cases that were run; the process leaves it in shared memory as it goes.
struct Tally {
  std::array<int64_t, 5> outcomes = {};  // by Outcome
  double slowest_seconds = 0;            // of processor time
  int64_t slowest_case = -1;
  int64_t peak_kib = 0;  // the most that a process had in memory, and the case that took it there
  int64_t peak_case = -1;
};

struct Limits {
  double seconds = 2;  // of processor time, for one case
  int64_t memory_kib = 512 << 10;
};
// Of this build: none but that against hanging when sanitizers are in it, no times when it is not optimized.
Limits LimitsOfBuild();

// Runs `check` for the cases from `first` to `last` - 1 until one fails: adds to `tally`, and says in `failure` what
// happened ("" when nothing did). Returns the case after the last one that was run.
int64_t RunBatch(int64_t first, int64_t last, const Limits& limits, const std::function<Answer(int64_t)>& check,
                 Tally& tally, std::string& failure);

}  // namespace quantgate::mutations

#endif  // QUANTGATE_TESTS_MUTATIONS_BATCH_H_
