// Element-wise arithmetic on bytes against the formulas in scalars, on every target that this processor has.
#include "rules/simulator/kernels/byte_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "rules/simulator/arithmetic.h"
#include "tests/rules/simulator/each_target.h"

namespace quantgate::simulator {
namespace {

using ByteElements = EachTarget;

int64_t ValueOf(uint8_t byte, bool is_signed) { return is_signed ? static_cast<int8_t>(byte) : int64_t{byte}; }

TEST_P(ByteElements, SumsOfAllPairs) {
  std::vector<uint8_t> a, b;
  for (int i = 0; i < 256 * 256 + 5; ++i) {
    a.push_back(static_cast<uint8_t>(i));
    b.push_back(static_cast<uint8_t>(i / 256));
  }
  // 0.5 and 0.25 make ties.
  for (const auto& [ra, rb, fixed] : {std::array{0.5f, 0.25f, 3.0f}, std::array{0.7310001f, 1.1f, -40.3f},
                                      std::array{1e-20f, 33.0f, 0.0f}, std::array{1.0f, 1.0f, -128.0f}}) {
    for (const int signs : {0, 1, 2, 4, 7}) {
      ByteSum sum{ra, rb, fixed, 0, 255, ByteSign(signs & 1), ByteSign(signs & 2), ByteSign(signs & 4)};
      if (signs & 4) sum.low = -128, sum.high = 100;
      std::vector<uint8_t> out(a.size());
      AddBytes(sum, a.data(), b.data(), static_cast<int64_t>(a.size()), out.data());
      for (size_t i = 0; i < a.size(); ++i) {
        const float x = static_cast<float>(ValueOf(a[i], signs & 1)), y = static_cast<float>(ValueOf(b[i], signs & 2));
        const int64_t expected = RoundEvenClamped(std::fma(x, ra, std::fma(y, rb, fixed)), sum.low, sum.high);
        ASSERT_EQ(ValueOf(out[i], signs & 4), expected) << x << " and " << y << " times " << ra << " and " << rb;
      }
    }
  }
}

TEST_P(ByteElements, QuantizesAndBack) {
  std::mt19937 random(3);
  std::vector<float> x = {0, -0.0f, INFINITY, -INFINITY, NAN, 1e38f, -1e38f, 1e-40f};
  for (int i = -600; i < 600; ++i) x.push_back(static_cast<float>(i) * 0.125f);
  for (int i = 0; i < 1000; ++i) x.push_back(std::normal_distribution<float>(0, 20)(random));
  for (const float scale : {0.0371f, 0.0213f, 0.9999f}) {  // the middle between integers, and its neighbors
    for (int i = -300; i < 300; ++i) {
      const float middle = (static_cast<float>(i) + 0.5f) * scale;
      x.insert(x.end(), {middle, std::nextafter(middle, INFINITY), std::nextafter(middle, -INFINITY)});
    }
  }
  for (const float scale : {0.25f, 0.0371f, 0.0213f, 0.9999f, 1e-30f, 1e-36f, 1e-42f, 1e20f, 1e36f}) {
    for (const bool is_signed : {false, true}) {
      const int32_t low = is_signed ? -128 : 0, high = low + 255;
      for (const int32_t zero_point : {low, low + 100, high}) {
        std::vector<uint8_t> out(x.size());
        QuantizeBytes(x, scale, zero_point, low, high, ByteSign(is_signed), out.data());
        std::vector<float> back(x.size());
        DequantizeBytes(out.data(), static_cast<int64_t>(x.size()), scale, zero_point, ByteSign(is_signed),
                        back.data());
        std::vector<float> rounded = x;
        RoundToBytes(absl::MakeSpan(rounded), scale, zero_point, low, high);
        EXPECT_EQ(std::memcmp(rounded.data(), back.data(), back.size() * sizeof(float)), 0);
        for (size_t i = 0; i < x.size(); ++i) {
          const int64_t expected = RoundEvenClamped(x[i] / scale, low - zero_point, high - zero_point) + zero_point;
          ASSERT_EQ(ValueOf(out[i], is_signed), expected) << x[i] << " by " << scale;
          ASSERT_EQ(back[i], scale * static_cast<float>(expected - zero_point));
        }
      }
    }
  }
}

TEST_P(ByteElements, RunsOfScales) {
  std::mt19937 random(4);
  for (const int64_t run : {1, 9, 16, 17, 40}) {
    for (const size_t runs : {1, 2, 5}) {
      for (const bool is_signed : {false, true}) {
        std::vector<uint8_t> x(static_cast<size_t>(run) * runs);
        for (uint8_t& byte : x) byte = static_cast<uint8_t>(random());
        std::vector<float> scales;
        std::vector<int64_t> zero_points;
        for (size_t r = 0; r < runs; ++r) {
          scales.push_back(0.01f * static_cast<float>(r + 1));
          zero_points.push_back(static_cast<int64_t>(r) * 3 - 4);
        }
        std::vector<float> out(x.size()), without(x.size());
        DequantizeRuns(x.data(), run, scales, zero_points, ByteSign(is_signed), out.data());
        DequantizeRuns(x.data(), run, scales, {}, ByteSign(is_signed), without.data());
        for (size_t i = 0; i < x.size(); ++i) {
          const size_t r = i / static_cast<size_t>(run);
          const int64_t value = ValueOf(x[i], is_signed);
          ASSERT_EQ(out[i], scales[r] * static_cast<float>(value - zero_points[r])) << i << " of runs of " << run;
          ASSERT_EQ(without[i], scales[r] * static_cast<float>(value));
        }
      }
    }
  }
}

TEST_P(ByteElements, LargestUnderWindows) {
  std::mt19937 random(5);
  for (const int64_t columns : {1, 7, 16, 56}) {
    for (const bool is_signed : {false, true}) {
      const int64_t rows = 5, step = 2 * (columns + 1);
      std::vector<uint8_t> plane((2 * rows + 1) * step + 64);
      for (uint8_t& x : plane) x = static_cast<uint8_t>(random());
      std::vector<const uint8_t*> taps;
      for (const int64_t at : {int64_t{0}, int64_t{1}, step / 2, step / 2 + 1}) taps.push_back(plane.data() + at);
      PlaneMaximum maximum{taps, rows, columns, step, 10, 240, ByteSign(is_signed)};
      if (is_signed) maximum.low = -100, maximum.high = 90;
      std::vector<uint8_t> out(rows * columns);
      MaximizePlane(maximum, out.data());
      for (int64_t i = 0; i < rows * columns; ++i) {
        int64_t expected = maximum.low;
        for (const uint8_t* tap : taps) {
          expected = std::max(expected, ValueOf(tap[i / columns * step + i % columns], is_signed));
        }
        ASSERT_EQ(ValueOf(out[i], is_signed), std::min<int64_t>(expected, maximum.high)) << i << " of " << columns;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ByteElements, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), TargetNameOf);

}  // namespace
}  // namespace quantgate::simulator
