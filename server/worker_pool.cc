#include "server/worker_pool.h"

#include <algorithm>
#include <utility>

namespace quantgate::server {

WorkerPool::WorkerPool(int threads, int max_queue) : threads_count_(threads), max_queue_(max_queue) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

WorkerPool::~WorkerPool() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::Post(std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  // A task that a free thread is about to take does not count as waiting.
  const int free = threads_count_ - running_;
  if (static_cast<int>(queue_.size()) >= max_queue_ + free) return false;
  queue_.push_back(std::move(task));
  return true;
}

int WorkerPool::queued() const {
  absl::MutexLock lock(&mutex_);
  return std::max(0, static_cast<int>(queue_.size()) - (threads_count_ - running_));
}

void WorkerPool::Work() {
  const auto ready = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stop_ || !queue_.empty(); };
  while (true) {
    std::function<void()> task;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&ready));
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
      ++running_;
    }
    task();
    task = nullptr;  // what it holds goes before the thread counts as free
    absl::MutexLock lock(&mutex_);
    --running_;
  }
}

}  // namespace quantgate::server
