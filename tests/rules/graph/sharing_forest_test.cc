#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "rules/graph/sharing/forest.h"

namespace quantgate {
namespace {

TEST(PointerForestTest, CirclesOpenAndClose) {
  PointerForest forest(std::vector<int32_t>{-1, 0, 1});
  EXPECT_FALSE(forest.IsEndless(2));
  forest.Repoint(0, 2);
  EXPECT_EQ(forest.num_circles(), 1);
  EXPECT_TRUE(forest.IsEndless(0));
  EXPECT_TRUE(forest.IsEndless(2));
  PointerForest other(std::vector<int32_t>{-1, 0, 1, -1});
  other.Repoint(0, 2);
  other.Repoint(1, 3);  // 0 -> 2 -> 1 -> 3
  EXPECT_EQ(other.num_circles(), 0);
  EXPECT_FALSE(other.IsEndless(0));
}

// Against following the pointers one by one.
TEST(PointerForestTest, AgreesWithWalking) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const int size = 2 + random() % 30;
    std::vector<int32_t> pointers(size, -1);
    for (int i = 1; i < size; ++i) pointers[i] = random() % 4 == 0 ? -1 : random() % i;
    PointerForest forest(pointers);
    const auto endless = [&](int at) {
      for (int steps = 0; at >= 0; at = pointers[at]) {
        if (++steps > size) return true;
      }
      return false;
    };
    for (int step = 0; step < 100; ++step) {
      const int from = random() % size;
      const int to = random() % size;
      if (from == to) continue;
      pointers[from] = to;
      forest.Repoint(from, to);
      bool any = false;
      for (int i = 0; i < size; ++i) {
        ASSERT_EQ(forest.IsEndless(i), endless(i)) << "seed " << seed << " step " << step << " node " << i;
        any |= endless(i);
      }
      ASSERT_EQ(forest.num_circles() > 0, any) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace quantgate
