// A fixed number of threads and a bounded queue in front of them.
#ifndef QUANTGATE_SERVER_WORKER_POOL_H_
#define QUANTGATE_SERVER_WORKER_POOL_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace quantgate::server {

class WorkerPool {
 public:
  // At most `max_queue` tasks wait while `threads` run.
  WorkerPool(int threads, int max_queue);
  // Runs what is queued, then joins.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // false: no thread is free and the queue is full; the task was not taken. Tasks must not throw.
  bool Post(std::function<void()> task);
  int queued() const;

 private:
  void Work();

  const int threads_count_;
  const int max_queue_;
  mutable absl::Mutex mutex_;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_WORKER_POOL_H_
