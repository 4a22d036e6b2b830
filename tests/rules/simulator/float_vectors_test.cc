// Vectorized float code gives the same bits on every processor: those of its definition.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "rules/simulator/float/gemm.h"
#include "rules/simulator/run/float_errors.h"
#include "tests/rules/simulator/each_target.h"

namespace quantgate::simulator {
namespace {

class FloatVectors : public EachTarget {
 protected:
  std::vector<float> Numbers(int64_t count) {
    std::vector<float> numbers(static_cast<size_t>(count));
    for (float& x : numbers) x = std::normal_distribution<float>(0, 3)(random_);
    return numbers;
  }
  int64_t UpTo(int64_t most) { return std::uniform_int_distribution<int64_t>(1, most)(random_); }

  std::mt19937 random_{7};
};

TEST_P(FloatVectors, ProductsAreRoundedBeforeTheyAreAdded) {
  for (int round = 0; round < 60; ++round) {
    const int64_t m = UpTo(9), n = UpTo(150), k = round % 7 == 0 ? UpTo(300) : UpTo(40);  // of several panels
    const bool transposed_a = round % 2 == 1, transposed_b = round % 3 == 1;
    const std::vector<float> a = Numbers(m * k), b = Numbers(k * n);
    std::vector<float> c(static_cast<size_t>(m * n));
    Gemm(m, n, k, a.data(), transposed_a, b.data(), transposed_b, c.data());
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t column = 0; column < n; ++column) {
        float sum = 0;
        for (int64_t i = 0; i < k; ++i) {
          const float x = a[transposed_a ? i * m + row : row * k + i];
          const volatile float product = x * b[transposed_b ? column * k + i : i * n + column];
          sum += product;
        }
        ASSERT_EQ(c[row * n + column], sum) << m << "x" << k << "x" << n << " at " << row << ", " << column;
      }
    }
  }
}

TEST_P(FloatVectors, SumsOfErrors) {
  constexpr size_t kParts = PartialSum::kParts;
  for (size_t size = 0; size < 200; ++size) {
    std::vector<float> x = Numbers(static_cast<int64_t>(size));
    const std::vector<float> y = Numbers(static_cast<int64_t>(size));
    if (size > 8 && size % 3 != 0) {
      x[2] = std::numeric_limits<float>::quiet_NaN();
      x[8] = std::numeric_limits<float>::infinity();
    }
    double differences[kParts] = {}, signal[kParts] = {}, noise[kParts] = {}, largest = 0;
    int64_t counted = 0;
    const auto add = [&](size_t i, size_t part) {
      const double difference = static_cast<double>(x[i]) - y[i];
      if (!std::isfinite(difference)) return;
      ++counted;
      largest = std::max(largest, std::fabs(difference));
      const volatile double square = static_cast<double>(x[i]) * x[i], square_of_difference = difference * difference;
      differences[part] += std::fabs(difference);
      signal[part] += square;
      noise[part] += square_of_difference;
    };
    const auto total = [](const double* parts) {
      double all = 0;
      for (size_t i = 0; i < kParts; ++i) all += parts[i];
      return all;
    };
    // In two calls, whose sums go on.
    const size_t first = size / 3;
    Errors errors, errors_alone;
    Powers powers, powers_alone;
    for (const auto& [begin, end] : {std::pair(size_t{0}, first), std::pair(first, size)}) {
      for (size_t i = begin; i < end; ++i) add(i, (i - begin) % kParts);
      const auto reference = absl::MakeConstSpan(x).subspan(begin, end - begin);
      const auto result = absl::MakeConstSpan(y).subspan(begin, end - begin);
      AddDifferences(reference, result, &powers, &errors);
      AddDifferences(reference, result, &powers_alone, nullptr);
      AddDifferences(reference, result, nullptr, &errors_alone);
    }
    for (const Errors& found : {errors, errors_alone}) {
      EXPECT_EQ(found.largest, largest);
      EXPECT_EQ(found.counted, counted);
      EXPECT_EQ(found.sum.Total(), total(differences)) << size;
    }
    for (const Powers& found : {powers, powers_alone}) {
      EXPECT_EQ(found.signal.Total(), total(signal)) << size;
      EXPECT_EQ(found.noise.Total(), total(noise)) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FloatVectors, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), TargetNameOf);

}  // namespace
}  // namespace quantgate::simulator
