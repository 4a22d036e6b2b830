#include "client/cli/progress.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "client/report/layout.h"

namespace quantgate {

// Prints the current step once it has lasted too long.
struct Progress::Timer {
  Timer(std::FILE* out, std::chrono::milliseconds patience) : thread([this, out, patience] { Watch(out, patience); }) {}
  ~Timer() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      done = true;
    }
    changed.notify_one();
    thread.join();
  }

  void Step(const std::string& text) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      step = text;
      ++number;
    }
    changed.notify_one();
  }

  void Watch(std::FILE* out, std::chrono::milliseconds patience) {
    std::unique_lock<std::mutex> lock(mutex);
    int seen = 0;
    while (!done) {
      changed.wait(lock, [&] { return done || number != seen; });
      seen = number;
      if (done || step.empty()) continue;
      if (changed.wait_for(lock, patience, [&] { return done || number != seen; })) continue;
      std::fprintf(out, "%s ...\n", step.c_str());
      std::fflush(out);
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::string step;
  int number = 0;
  bool done = false;
  std::thread thread;  // last: it uses the others
};

Progress::Kind Progress::KindForStderr(bool quiet) {
  if (quiet) return Kind::kSilent;
  return isatty(STDERR_FILENO) == 1 ? Kind::kTerminal : Kind::kLog;
}

Progress::Progress(Kind kind, std::FILE* out, std::chrono::milliseconds patience) : kind_(kind), out_(out) {
  if (kind == Kind::kLog) timer_ = std::make_unique<Timer>(out, patience);
}

Progress::~Progress() { Step(""); }

void Progress::Step(const std::string& text) {
  const std::string line = Printable(text);
  if (timer_ != nullptr) timer_->Step(line);
  if (kind_ != Kind::kTerminal) return;
  std::fprintf(out_, "\r\033[K%s%s", line.c_str(), line.empty() ? "" : " ...");
  std::fflush(out_);
}

}  // namespace quantgate
