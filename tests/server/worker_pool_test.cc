#include "server/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "absl/synchronization/notification.h"
#include "server/rpc/byte_budget.h"

namespace quantgate::server {
namespace {

TEST(WorkerPool, BoundsItsQueueAndRunsWhatItTook) {
  std::atomic<int> ran{0};
  {
    absl::Notification started, release;
    WorkerPool pool(1, 2);
    ASSERT_TRUE(pool.Post([&] {
      started.Notify();
      release.WaitForNotification();
      ++ran;
    }));
    started.WaitForNotification();
    EXPECT_TRUE(pool.Post([&] { ++ran; }));
    EXPECT_TRUE(pool.Post([&] { ++ran; }));
    EXPECT_EQ(pool.queued(), 2);
    EXPECT_FALSE(pool.Post([&] { ++ran; }));
    release.Notify();
  }
  EXPECT_EQ(ran, 3);
}

TEST(WorkerPool, AFreeThreadTakesATaskWithoutAQueue) {
  absl::Notification done;
  WorkerPool pool(1, 0);
  EXPECT_TRUE(pool.Post([&] { done.Notify(); }));
  done.WaitForNotification();
}

TEST(ByteBudget, SharesGiveBack) {
  ByteBudget budget(10);
  ByteBudget::Share a(budget);
  EXPECT_TRUE(a.Grow(6));
  {
    ByteBudget::Share b(budget);
    EXPECT_FALSE(b.Grow(5));
    EXPECT_TRUE(b.Grow(4));
    EXPECT_FALSE(a.Grow(1));
  }
  EXPECT_TRUE(a.Grow(4));
  EXPECT_FALSE(a.Grow(1));
}

// A stream's alarm may end it after the server, and with it the budget, has gone.
TEST(ByteBudget, AShareThatWasGivenBackOutlivesTheBudget) {
  auto budget = std::make_unique<ByteBudget>(10);
  ByteBudget::Share share(*budget);
  EXPECT_TRUE(share.Grow(10));
  share.GiveBack();
  ByteBudget::Share other(*budget);
  EXPECT_TRUE(other.Grow(10));
  other.GiveBack();
  budget.reset();
}

}  // namespace
}  // namespace quantgate::server
