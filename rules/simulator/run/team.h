// Threads that do a few tasks together.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_TEAM_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_TEAM_H_

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/types/span.h"

namespace quantgate::simulator {

class Team {
 public:
  // `threads` in all, the caller's among them; fewer where the system gives no more.
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Returns when all are done; throws what one of them threw. They share nothing that one of them changes. One call at
  // a time.
  void Run(absl::Span<const std::function<void()>> tasks);

 private:
  void Work();
  // Does tasks as long as there are any that nobody took.
  void TakeTasks(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  absl::Span<const std::function<void()>> tasks_;
  size_t next_ = 0, done_ = 0;
  std::exception_ptr thrown_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_TEAM_H_
