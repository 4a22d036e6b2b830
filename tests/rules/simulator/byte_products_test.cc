// Products of bytes against plain integers, on every target that this processor has.
#include "rules/simulator/kernels/byte_products.h"

#define HWY_WANT_AVX3_DL 1
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "tests/rules/simulator/each_target.h"

namespace quantgate::simulator {
namespace {

// Products for each column. Under a sanitizer each takes a hundred times as long, and deep ones and tall ones are
// enough.
#ifdef QUANTGATE_SANITIZED
constexpr int64_t kMostProducts = 147 * 70;
#else
constexpr int64_t kMostProducts = 1100 * 70;
#endif

class ByteProducts : public EachTarget {
 protected:
  // Ends of the range often: sums as large as they can be.
  template <typename T>
  std::vector<T> Numbers(size_t count, int low, int high) {
    std::vector<T> numbers(count);
    const int ends = std::uniform_int_distribution<int>(0, 5)(random_);
    for (T& x : numbers) {
      const int kind = ends == 0 ? 0 : ends == 1 ? 1 : std::uniform_int_distribution<int>(0, 3)(random_);
      x = static_cast<T>(kind == 0 ? low : kind == 1 ? high : std::uniform_int_distribution<int>(low, high)(random_));
    }
    return numbers;
  }
  std::mt19937 random_{7};
};

uint8_t Rescaled(int32_t sum, float scale, const ByteRescale& to) {
  const float real = static_cast<float>(sum) * scale;
  const float clamped = std::clamp(real, static_cast<float>(to.low), static_cast<float>(to.high));
  return static_cast<uint8_t>(static_cast<int32_t>(std::nearbyint(clamped)) + to.zero_point);
}

// StepErrors as they are defined: a sum of floats for each column, of 64 rows; of doubles over every eighth of these.
// Columns of a plane: every sixteenth of the positions of a run.
class ErrorsOfRows {
 public:
  explicit ErrorsOfRows(const ByteRescale& rescale) : rescale_(rescale) {}
  void Add(int32_t sum, float scale, float rest, int64_t column) {
    const volatile float product = static_cast<float>(sum) * scale, beyond = product + rest;
    const float clamped =
        std::clamp<float>(float{product}, static_cast<float>(rescale_.low), static_cast<float>(rescale_.high));
    const float real = std::clamp<float>(float{beyond}, kLeast, kMost), difference = real - std::nearbyint(clamped);
    signal_[column] = std::fma(real, real, signal_[column]);
    noise_[column] = std::fma(difference, difference, noise_[column]);
  }
  // 64 rows, or the last ones.
  void EndBlock() {
    signal_sum_ += Total(signal_);
    noise_sum_ += Total(noise_);
  }
  void ExpectEqual(const StepErrors& errors) const {
    EXPECT_EQ(errors.signal, signal_sum_);
    EXPECT_EQ(errors.noise, noise_sum_);
  }
  static constexpr float kLeast = -90, kMost = 1000;

 private:
  const ByteRescale rescale_;
  static double Total(std::array<float, 64>& parts) {
    double sums[8] = {}, sum = 0;
    for (size_t i = 0; i < parts.size(); ++i) sums[i % 8] += parts[i];
    for (const double part : sums) sum += part;
    parts = {};
    return sum;
  }

  std::array<float, 64> signal_ = {}, noise_ = {};
  double signal_sum_ = 0, noise_sum_ = 0;
};

TEST_P(ByteProducts, PanelsAreIntegerProducts) {
  for (const int64_t depth : {1, 3, 4, 27, 64, 147, 1024, 1100}) {
    const int64_t padded = (depth + 3) / 4 * 4;
    for (const int64_t columns : {1, 3, 7, 8, 15, 16, 17, 33, 49, 63, 64}) {
      for (const int64_t rows : {1, 4, 6, 70}) {
        if (rows * depth > kMostProducts) continue;
        for (const bool is_signed : {false, true}) {
          const auto x = Numbers<uint8_t>(padded * columns, 0, 255);
          auto w = Numbers<int8_t>(rows * padded, -128, 127);
          for (int64_t r = 0; r < rows; ++r) std::fill_n(w.begin() + r * padded + depth, padded - depth, int8_t{0});
          const uint8_t flip = is_signed ? 0x80 : 0;
          // Rows in two pieces, read in an order that is not theirs.
          std::vector<const uint8_t*> from;
          for (int64_t k = 0; k < padded; ++k) from.push_back(x.data() + k * columns);
          const int64_t half = columns / 2;
          const std::vector<Piece> pieces = {{half, columns - half}, {0, half}};
          std::vector<uint8_t> panel(padded * kPanelColumns + kSlack);
          PackPanel(from, pieces, flip, x.data() + x.size(), panel.data());
          std::vector<int32_t> bias;
          std::vector<float> scales, rests;
          for (int64_t r = 0; r < rows; ++r) {
            bias.push_back(static_cast<int32_t>(r * 1000 - 2500));
            scales.push_back(0.0007f * static_cast<float>(r + 1));
            rests.push_back(0.3f * static_cast<float>(r));
          }
          const PanelProduct product{w.data(),     rows,    padded,      padded / 4,
                                     panel.data(), columns, bias.data(), rests.data()};
          const ByteRescale rescale = is_signed ? ByteRescale{-131, 124, 3, true} : ByteRescale{-7, 240, 7, false};
          std::vector<int32_t> sums(rows * columns);
          std::vector<uint8_t> bytes(rows * columns);
          SumRange range, other;
          MultiplyPanel(product, sums.data(), columns, &range);
          MultiplyPanel(product, scales.data(), rescale, bytes.data(), columns, &other, nullptr);
          StepErrors errors{ErrorsOfRows::kLeast, ErrorsOfRows::kMost};
          MultiplyPanel(product, scales.data(), rescale, bytes.data(), columns, nullptr, &errors);
          ErrorsOfRows expected_errors(rescale);
          int32_t least = 0, most = 0;
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < columns; ++c) {
              int32_t expected = bias[r];
              const int64_t at = c < columns - half ? half + c : c - (columns - half);
              for (int64_t k = 0; k < depth; ++k) expected += (x[k * columns + at] ^ flip) * w[r * padded + k];
              least = std::min(least, expected);
              most = std::max(most, expected);
              ASSERT_EQ(sums[r * columns + c], expected) << depth << " deep, row " << r << ", column " << c;
              ASSERT_EQ(bytes[r * columns + c], Rescaled(expected, scales[r], rescale))
                  << depth << " deep, row " << r << ", column " << c << " of " << columns;
              expected_errors.Add(expected, scales[r], rests[r], c);
            }
            if (r % 64 == 63) expected_errors.EndBlock();
          }
          expected_errors.EndBlock();
          expected_errors.ExpectEqual(errors);
          EXPECT_EQ(range.least, least);
          EXPECT_EQ(range.most, most);
          EXPECT_EQ(other.least, least);
          EXPECT_EQ(other.most, most);
        }
      }
    }
  }
}

TEST_P(ByteProducts, SumsAreModulo) {
  // 4 * 255 * 127 is added to the largest integer.
  const std::vector<uint8_t> panel(4 * kPanelColumns + kSlack, 255);
  const std::vector<int8_t> w(4, 127);
  const int32_t bias = INT32_MAX;
  int32_t sum = 0;
  MultiplyPanel({w.data(), 1, 4, 1, panel.data(), 1, &bias}, &sum, 1, nullptr);
  EXPECT_EQ(sum, static_cast<int32_t>(uint32_t{INT32_MAX} + 4u * 255 * 127));
}

TEST_P(ByteProducts, PlanesAreIntegerProducts) {
  for (const int64_t columns : {1, 5, 7, 14, 16, 33, 62, 112}) {
    for (const int64_t rows : {1, 3, 7, 40}) {
      for (const int64_t beside : {0, 2, 130}) {  // positions between rows
        const int64_t step = columns + beside, taps = 9;
        auto x = Numbers<uint8_t>((rows + 2) * step + 2, 0, 255);
        const auto size = static_cast<int64_t>(x.size());
        x.resize(x.size() + kSlack);
        auto w = Numbers<int8_t>(taps, -128, 127);
        w.resize(12);
        std::vector<int64_t> at;
        for (int64_t t = 0; t < taps; ++t) at.push_back(t / 3 * step + t % 3);
        std::vector<float> room(x.size(), NAN);
        const std::vector<PlaneRun> runs = PlaneRuns(rows, columns, step);
        const PlaneProduct product{x.data(), size, at, w.data(), runs, 0x80, 200, -77, 0.25f, room.data()};
        std::vector<int32_t> sums(rows * columns);
        std::vector<uint8_t> bytes(rows * columns);
        SumRange range;
        const ByteRescale rescale{-128, 127, 0, true};
        MultiplyPlane(product, sums.data(), &range);
        MultiplyPlane(product, 0.002f, rescale, bytes.data(), nullptr, nullptr);
        SumRange other;
        StepErrors errors{ErrorsOfRows::kLeast, ErrorsOfRows::kMost};
        MultiplyPlane(product, 0.002f, rescale, bytes.data(), &other, &errors);
        ErrorsOfRows expected_errors(rescale);
        int32_t least = 0, most = 0;
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t c = 0; c < columns; ++c) {
            int32_t expected = -77;
            for (int64_t t = 0; t < taps; ++t) {
              expected += ((x[(r + t / 3) * step + c + t % 3] ^ 0x80) - 200) * w[t];
            }
            least = std::min(least, expected);
            most = std::max(most, expected);
            ASSERT_EQ(sums[r * columns + c], expected) << "row " << r << ", column " << c << " of " << columns;
            ASSERT_EQ(bytes[r * columns + c], Rescaled(expected, 0.002f, rescale)) << "row " << r << ", column " << c;
            const int64_t position = r * step + c;
            size_t run = 0;
            while (run + 1 < runs.size() && runs[run + 1].position <= position) ++run;
            expected_errors.Add(expected, 0.002f, 0.25f, (position - runs[run].position) % 16);
          }
        }
        expected_errors.EndBlock();
        expected_errors.ExpectEqual(errors);
        EXPECT_EQ(other.least, least);
        EXPECT_EQ(other.most, most);
        EXPECT_EQ(range.least, least);
        EXPECT_EQ(range.most, most);
      }
    }
  }
}

TEST_P(ByteProducts, BytesAreSummed) {
  for (const int64_t size : {0, 1, 63, 64, 65, 1000}) {
    const auto w = Numbers<int8_t>(size, -128, 127);
    const ByteSums sums = SumBytes(w.data(), size);
    int32_t all = 0, positive = 0;
    for (const int8_t x : w) {
      all += x;
      positive += std::max<int32_t>(x, 0);
    }
    EXPECT_EQ(sums.all, all);
    EXPECT_EQ(sums.positive, positive);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ByteProducts, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), TargetNameOf);

}  // namespace
}  // namespace quantgate::simulator
