#include "db/reports/socket_watch.h"

#include <sys/socket.h>

namespace quantgate::db::reports {

SocketWatch::~SocketWatch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

SocketWatch::Guard::Guard(SocketWatch& watch, int socket, absl::Duration patience) : watch_(watch) {
  {
    const std::lock_guard lock(watch_.mutex_);
    watch_.socket_ = socket;
    watch_.deadline_ = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(patience);
  }
  watch_.changed_.notify_all();
}

SocketWatch::Guard::~Guard() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.socket_ = -1;
}

void SocketWatch::Work() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (socket_ < 0) {
      changed_.wait(lock, [this] { return stop_ || socket_ >= 0; });
      continue;
    }
    // The guard may have become another one meanwhile.
    const auto deadline = deadline_;
    changed_.wait_until(lock, deadline);
    if (socket_ >= 0 && std::chrono::steady_clock::now() >= deadline_) {
      shutdown(socket_, SHUT_RDWR);
      socket_ = -1;
    }
  }
}

}  // namespace quantgate::db::reports
