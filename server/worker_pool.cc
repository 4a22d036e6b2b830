#include "server/worker_pool.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace quantgate::server {

WorkerPool::WorkerPool(int threads, int max_queue) : threads_count_(threads), max_queue_(max_queue) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::Post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  // A task that a free thread is about to take does not count as waiting.
  const int free = threads_count_ - running_;
  if (static_cast<int>(queue_.size()) >= max_queue_ + free) return false;
  queue_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

int WorkerPool::queued() const {
  const std::lock_guard lock(mutex_);
  return std::max(0, static_cast<int>(queue_.size()) - (threads_count_ - running_));
}

void WorkerPool::Work() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
      ++running_;
    }
    task();
    task = nullptr;  // what it holds goes before the thread counts as free
    const std::lock_guard lock(mutex_);
    --running_;
  }
}

}  // namespace quantgate::server
