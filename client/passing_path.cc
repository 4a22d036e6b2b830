#include "client/passing_path.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <utility>

namespace quantgate {
namespace {

// A handler may neither take memory nor wait for a lock: paths are in places of their own.
struct PassingSlot {
  enum State { kFree, kFilling, kTaken };
  std::atomic<int> state{kFree};
  char path[PATH_MAX];
};
constexpr int kEndingSignals[] = {SIGHUP, SIGINT, SIGTERM};
constexpr int kPassingSlots = 16;
PassingSlot passing_slots[kPassingSlots];

void RemovePassing(int signal_number) {
  for (PassingSlot& slot : passing_slots) {
    if (slot.state == PassingSlot::kTaken) (void)::unlink(slot.path);
  }
  // The handler was for once (SA_RESETHAND): now the signal does what it does without.
  (void)::raise(signal_number);
}

}  // namespace

PassingPath::PassingPath(const std::string& path) : slot_(-1) {
  if (path.size() >= PATH_MAX) return;
  for (int i = 0; i < kPassingSlots; ++i) {
    int free = PassingSlot::kFree;
    if (!passing_slots[i].state.compare_exchange_strong(free, PassingSlot::kFilling)) continue;
    std::memcpy(passing_slots[i].path, path.c_str(), path.size() + 1);
    passing_slots[i].state = PassingSlot::kTaken;
    slot_ = i;
    return;
  }
}

PassingPath::PassingPath(PassingPath&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

PassingPath::~PassingPath() {
  if (slot_ >= 0) passing_slots[slot_].state = PassingSlot::kFree;
}

SignalsWait::SignalsWait() {
  sigset_t ending;
  ::sigemptyset(&ending);
  for (const int number : kEndingSignals) ::sigaddset(&ending, number);
  ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
}

SignalsWait::~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void RemovePassingPathsAtSignals() {
  static_assert(std::atomic<int>::is_always_lock_free);
  for (const int number : kEndingSignals) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = RemovePassing;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    (void)::sigaction(number, &action, nullptr);
  }
}

}  // namespace quantgate
