// Bounds how long somebody waits for an answer on a socket, where the library that waits does not.
#ifndef QUANTGATE_DB_REPORTS_SOCKET_WATCH_H_
#define QUANTGATE_DB_REPORTS_SOCKET_WATCH_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "absl/time/time.h"

namespace quantgate::db::reports {

class SocketWatch {
 public:
  SocketWatch() : thread_([this] { Work(); }) {}
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;

  // While it lives, and for at most `patience`, the socket may be waited for; then it is shut down, and who waits finds
  // the connection broken. One at a time.
  class Guard {
   public:
    Guard(SocketWatch& watch, int socket, absl::Duration patience);
    ~Guard();
    Guard(const Guard&) = delete;

   private:
    SocketWatch& watch_;
  };

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  int socket_ = -1;                                 // guarded by mutex_; -1: nobody waits
  std::chrono::steady_clock::time_point deadline_;  // guarded by mutex_
  bool stop_ = false;                               // guarded by mutex_
  std::thread thread_;
};

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SOCKET_WATCH_H_
