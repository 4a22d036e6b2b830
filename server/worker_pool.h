// A fixed number of threads and a bounded queue in front of them.
#ifndef QUANTGATE_SERVER_WORKER_POOL_H_
#define QUANTGATE_SERVER_WORKER_POOL_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

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
  // Of the standard library, here and elsewhere: ThreadSanitizer cannot see those of an Abseil built without it.
  mutable std::mutex mutex_;
  std::condition_variable changed_;          // a task was added, or `stop_` was set
  std::deque<std::function<void()>> queue_;  // guarded by mutex_
  int running_ = 0;                          // guarded by mutex_
  bool stop_ = false;                        // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_WORKER_POOL_H_
