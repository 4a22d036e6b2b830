// One of a number of places, until it goes.
#ifndef QUANTGATE_SERVER_HTTP_SLOT_H_
#define QUANTGATE_SERVER_HTTP_SLOT_H_

#include <atomic>
#include <optional>
#include <utility>

namespace quantgate::server {

class Slot {
 public:
  // Nothing: all `most` are taken. `taken` outlives the slot.
  static std::optional<Slot> Take(std::atomic<int>& taken, int most) {
    if (taken.fetch_add(1) < most) return Slot(&taken);
    --taken;
    return std::nullopt;
  }
  Slot(Slot&& other) noexcept : taken_(std::exchange(other.taken_, nullptr)) {}
  Slot& operator=(Slot&&) = delete;
  ~Slot() {
    if (taken_ != nullptr) --*taken_;
  }

 private:
  explicit Slot(std::atomic<int>* taken) : taken_(taken) {}
  std::atomic<int>* taken_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_SLOT_H_
