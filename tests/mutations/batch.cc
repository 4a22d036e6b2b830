#include "tests/mutations/batch.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <new>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

// There only in builds that count what is run: an exit without handlers would lose the counts.
extern "C" void __gcov_dump() __attribute__((weak));

namespace quantgate::mutations {
namespace {

#if defined(QUANTGATE_SANITIZED)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#if defined(__OPTIMIZE__)
constexpr bool kOptimized = !kSanitized;
#else
constexpr bool kOptimized = false;
#endif

// A case that takes this much is ended from outside.
constexpr int kHangs = kOptimized ? 10 : 120;  // seconds of processor time
constexpr rlim_t kAddressSpace = rlim_t{4} << 30;

struct Board {
  Tally tally;
  int64_t at = 0;  // the case that is run
  std::array<char, 400> failure = {};
};

double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int64_t PeakKib() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void Fail(Board& board, const std::string& what) {
  std::strncpy(board.failure.data(), what.c_str(), board.failure.size() - 1);
}

// In the process of the batch.
void Work(int64_t last, const Limits& limits, const std::function<Answer(int64_t)>& check, Board& board) {
  if (kOptimized) {
    const rlimit space = {kAddressSpace, kAddressSpace};
    setrlimit(RLIMIT_AS, &space);
  }
  for (; board.at < last && board.failure[0] == '\0'; ++board.at) {
    const itimerval patience = {{0, 0}, {kHangs, 0}};
    setitimer(ITIMER_PROF, &patience, nullptr);
    const double start = ProcessorSeconds();
    const Answer answer = check(board.at);
    const double seconds = ProcessorSeconds() - start;
    const int64_t peak = PeakKib();

    Tally& tally = board.tally;
    ++tally.outcomes[static_cast<size_t>(answer.outcome)];
    if (seconds > tally.slowest_seconds) {
      tally.slowest_seconds = seconds;
      tally.slowest_case = board.at;
    }
    if (peak > tally.peak_kib) {
      tally.peak_kib = peak;
      tally.peak_case = board.at;
    }
    if (answer.outcome == Outcome::kFault) {
      Fail(board, answer.fault);
    } else if (seconds > limits.seconds) {
      Fail(board, absl::StrFormat("took %.1f s", seconds));
    } else if (peak > limits.memory_kib) {
      Fail(board, absl::StrCat("took ", peak >> 10, " MiB"));
    }
  }
}

}  // namespace

Limits LimitsOfBuild() {
  Limits limits;
  if (!kOptimized) limits.seconds = std::numeric_limits<double>::infinity();
  if (kSanitized) limits.memory_kib = std::numeric_limits<int64_t>::max();
  return limits;
}

int64_t RunBatch(int64_t first, int64_t last, const Limits& limits, const std::function<Answer(int64_t)>& check,
                 Tally& tally, std::string& failure) {
  void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  Board& board = *new (memory) Board;
  board.tally = tally;
  board.at = first;
  const pid_t process = fork();
  if (process == 0) {
    Work(last, limits, check, board);
    if (__gcov_dump != nullptr) __gcov_dump();
    _exit(0);
  }
  int status = 0;
  if (process < 0 || waitpid(process, &status, 0) != process) std::abort();
  tally = board.tally;
  failure = board.failure.data();
  int64_t next = board.at;
  if (WIFSIGNALED(status)) {
    failure = WTERMSIG(status) == SIGPROF ? absl::StrCat("took more than ", kHangs, " s")
                                          : absl::StrCat("died of ", strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    failure = absl::StrCat("ended with exit code ", WEXITSTATUS(status));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    ++next;
    ++tally.outcomes[static_cast<size_t>(Outcome::kFault)];
  }
  munmap(memory, sizeof(Board));
  return next;
}

}  // namespace quantgate::mutations
