// What happens to checks while they run, for whoever watches. Nothing is kept: who comes later has missed it.
#ifndef QUANTGATE_SERVER_EVENTS_H_
#define QUANTGATE_SERVER_EVENTS_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace quantgate::server {

struct Event {
  std::string name;  // "started", "progress", "finished"
  std::string data;  // JSON on one line
};

// Thread-safe.
class Events {
 public:
  // One who watches. Those who read too slowly miss events, the oldest first.
  class Subscription {
   public:
    ~Subscription();
    // Waits for the next event; nothing when none came in time, or after Close().
    std::optional<Event> Next(absl::Duration timeout);

   private:
    friend class Events;
    explicit Subscription(Events& events) : events_(events) {}
    Events& events_;
    std::condition_variable changed_;
    std::deque<Event> queue_;  // guarded by events_.mutex_
  };

  explicit Events(int max_subscriptions) : max_subscriptions_(max_subscriptions) {}

  // Null: too many watch, or after Close(). Ends before the Events do.
  std::unique_ptr<Subscription> Subscribe();
  void Publish(absl::string_view name, absl::string_view data);
  bool watched() const;
  // The next number of a check or an import.
  int64_t NextId();
  // Nobody waits any longer.
  void Close();
  bool closed() const;

 private:
  const int max_subscriptions_;
  mutable std::mutex mutex_;
  std::set<Subscription*> subscriptions_;  // guarded by mutex_
  int64_t last_id_ = 0;                    // guarded by mutex_
  bool closed_ = false;                    // guarded by mutex_
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_EVENTS_H_
