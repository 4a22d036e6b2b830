#include "rules/simulator/run/team.h"

#include <system_error>
#include <utility>

namespace quantgate::simulator {

Team::Team(int threads) {
  for (int i = 1; i < threads; ++i) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      return;
    }
  }
}

Team::~Team() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::Run(absl::Span<const std::function<void()>> tasks) {
  if (threads_.empty()) {
    for (const std::function<void()>& task : tasks) task();
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  tasks_ = tasks;
  next_ = done_ = 0;
  changed_.notify_all();
  TakeTasks(lock);
  changed_.wait(lock, [this] { return done_ == tasks_.size(); });
  tasks_ = {};
  next_ = 0;
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void Team::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || next_ < tasks_.size(); });
    if (ends_) return;
    TakeTasks(lock);
  }
}

void Team::TakeTasks(std::unique_lock<std::mutex>& lock) {
  while (next_ < tasks_.size()) {
    const std::function<void()>& task = tasks_[next_++];
    lock.unlock();
    std::exception_ptr thrown;
    try {
      task();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (thrown != nullptr) thrown_ = thrown;
    if (++done_ == tasks_.size()) changed_.notify_all();
  }
}

}  // namespace quantgate::simulator
