// Tasks of a team: each is done once, whatever the number of threads, and what one throws comes out.
#include "rules/simulator/run/team.h"

#include <gtest/gtest.h>

#include <new>

namespace quantgate::simulator {
namespace {

class TeamTest : public testing::TestWithParam<int> {};

TEST_P(TeamTest, DoesEachTaskOnce) {
  Team team(GetParam());
  for (int round = 0; round < 500; ++round) {
    std::vector<int> done(static_cast<size_t>(round % 7), 0);
    std::vector<std::function<void()>> tasks;
    for (int& each : done) tasks.push_back([&each] { ++each; });
    team.Run(tasks);
    for (const int each : done) ASSERT_EQ(each, 1) << round;
  }
}

TEST_P(TeamTest, ThrowsWhatATaskThrows) {
  Team team(GetParam());
  int done = 0;
  const std::function<void()> good = [&done] { ++done; };
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(team.Run({[] { throw std::bad_alloc(); }, [] {}, [] {}}), std::bad_alloc);
    team.Run({good});
  }
  EXPECT_EQ(done, 50);
}

INSTANTIATE_TEST_SUITE_P(Threads, TeamTest, testing::Values(1, 2, 4, 9));

}  // namespace
}  // namespace quantgate::simulator
