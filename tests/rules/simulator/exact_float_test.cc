// Vectorized sums of products against plain integers, on every target that this processor has.
#include "rules/simulator/kernels/exact_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/rules/simulator/each_target.h"

namespace quantgate::simulator {
namespace {

class ExactFloat : public EachTarget {
 protected:
  // Ends of the range often: sums as large as they can be.
  std::vector<int16_t> Numbers(size_t count, int low, int high) {
    std::vector<int16_t> numbers(count);
    for (int16_t& x : numbers) {
      const int kind = std::uniform_int_distribution<int>(0, 3)(random_);
      x = static_cast<int16_t>(kind == 0   ? low
                               : kind == 1 ? high
                                           : std::uniform_int_distribution<int>(low, high)(random_));
    }
    return numbers;
  }
  std::mt19937 random_{7};
};

TEST_P(ExactFloat, TilesAreIntegerProducts) {
  for (const int64_t depth : {1, 3, 16, 500, 519, 1100, 4608}) {
    for (const int64_t rows : {1, 3, 4, 7, 8}) {
      const int64_t columns = 21;
      const std::vector<int16_t> a = Numbers(rows * depth, -255, 255), b = Numbers(columns * depth, -128, 127);
      const std::vector<float> left(a.begin(), a.end()), panels = PackPanels(b.data(), columns, depth);
      int32_t sums[kTileRows * 2 * kPanel];
      MultiplyTile(left.data(), rows, depth, panels.data(), 2, ExactDepth(255, 128), sums);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
          int64_t expected = 0;
          for (int64_t k = 0; k < depth; ++k) expected += a[r * depth + k] * b[c * depth + k];
          ASSERT_EQ(sums[r * 2 * kPanel + c], expected) << depth << " deep, row " << r << ", column " << c;
        }
      }
    }
  }
}

TEST_P(ExactFloat, TapsAreIntegerProducts) {
  for (const int64_t size : {1, 5, 16, 33, 96}) {
    const int64_t taps = 9;
    const std::vector<int16_t> x = Numbers(taps * size, -255, 255), w = Numbers(taps * size, -128, 127);
    const std::vector<float> image(x.begin(), x.end()), weights(w.begin(), w.end());
    std::vector<const float*> at;
    for (int64_t tap = 0; tap < taps; ++tap) at.push_back(tap == 4 ? nullptr : image.data() + tap * size);
    std::vector<int32_t> sums(size);
    MultiplyTaps(at.data(), weights.data(), taps, size, sums.data());
    for (int64_t i = 0; i < size; ++i) {
      int64_t expected = 0;
      for (int64_t tap = 0; tap < taps; ++tap) expected += tap == 4 ? 0 : x[tap * size + i] * w[tap * size + i];
      ASSERT_EQ(sums[i], expected) << i << " of " << size;
    }
  }
}

TEST_P(ExactFloat, RescalesToEvenAndClamps) {
  std::vector<int32_t> sums, bias;
  for (int32_t i = -70; i < 70; ++i) {
    sums.push_back(i * 3);
    bias.push_back(i % 4);
  }
  sums.insert(sums.end(), {INT32_MAX - 1, INT32_MIN + 1, (1 << 24) + 1});
  bias.insert(bias.end(), {1, -1, 0});
  for (const float scale : {0.5f, 0.25f, 0.0123f, 1e-30f, 3e30f}) {
    const std::vector<float> scales(sums.size(), scale);
    std::vector<int32_t> out(sums.size());
    RescaleRow(sums.data(), bias.data(), scales.data(), static_cast<int64_t>(sums.size()), -125, 130, 3, out.data());
    for (size_t i = 0; i < sums.size(); ++i) {
      const float real = static_cast<float>(sums[i] + bias[i]) * scale;
      EXPECT_EQ(out[i], static_cast<int32_t>(std::nearbyint(std::clamp(real, -125.0f, 130.0f))) + 3) << sums[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ExactFloat, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), TargetNameOf);

TEST(ExactDepth, OfEightBits) {
  EXPECT_EQ(ExactDepth(255, 127), 518);
  EXPECT_EQ(ExactDepth(0, 0), 1 << 24);
  EXPECT_EQ(ExactDepth(65535, 32768), 0);
}

}  // namespace
}  // namespace quantgate::simulator
