#include "server/events.h"

#include <utility>

namespace quantgate::server {
namespace {

constexpr size_t kMaxQueued = 256;

}  // namespace

Events::Subscription::~Subscription() {
  const std::lock_guard lock(events_.mutex_);
  events_.subscriptions_.erase(this);
}

std::optional<Event> Events::Subscription::Next(absl::Duration timeout) {
  std::unique_lock lock(events_.mutex_);
  changed_.wait_for(lock, absl::ToChronoMilliseconds(timeout), [this] { return events_.closed_ || !queue_.empty(); });
  if (events_.closed_ || queue_.empty()) return std::nullopt;
  Event event = std::move(queue_.front());
  queue_.pop_front();
  return event;
}

std::unique_ptr<Events::Subscription> Events::Subscribe() {
  const std::lock_guard lock(mutex_);
  if (closed_ || static_cast<int>(subscriptions_.size()) >= max_subscriptions_) return nullptr;
  auto subscription = std::unique_ptr<Subscription>(new Subscription(*this));
  subscriptions_.insert(subscription.get());
  return subscription;
}

void Events::Publish(absl::string_view name, absl::string_view data) {
  const std::lock_guard lock(mutex_);
  for (Subscription* subscription : subscriptions_) {
    if (subscription->queue_.size() >= kMaxQueued) subscription->queue_.pop_front();
    subscription->queue_.push_back({std::string(name), std::string(data)});
    subscription->changed_.notify_all();
  }
}

bool Events::watched() const {
  const std::lock_guard lock(mutex_);
  return !subscriptions_.empty();
}

int64_t Events::NextId() {
  const std::lock_guard lock(mutex_);
  return ++last_id_;
}

void Events::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (Subscription* subscription : subscriptions_) subscription->changed_.notify_all();
}

bool Events::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace quantgate::server
