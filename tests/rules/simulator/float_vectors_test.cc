// Vectorized float code gives the same bits on every processor: those of its definition.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "rules/simulator/float/gemm.h"
#include "rules/simulator/run/byte_statistics.h"
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

TEST_P(FloatVectors, ProductsAreAddedWithOneRounding) {
  for (int round = 0; round < 60; ++round) {
    // Also one column beside those that fill vectors, with rows that do.
    const int64_t m = UpTo(round % 5 == 0 ? 40 : 9), n = round % 10 == 0 ? 16 * UpTo(5) - 15 : UpTo(150),
                  k = round % 7 == 0 ? UpTo(300) : UpTo(40);  // of several panels
    const bool transposed_a = round % 2 == 1, transposed_b = round % 3 == 1;
    const std::vector<float> a = Numbers(m * k), b = Numbers(k * n);
    std::vector<float> c(static_cast<size_t>(m * n));
    Gemm(m, n, k, a.data(), transposed_a, b.data(), transposed_b, c.data());
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t column = 0; column < n; ++column) {
        float sum = 0;
        for (int64_t i = 0; i < k; ++i) {
          const float x = a[transposed_a ? i * m + row : row * k + i];
          sum = std::fma(x, b[transposed_b ? column * k + i : i * n + column], sum);
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

TEST_P(FloatVectors, ErrorsOfBytes) {
  for (size_t size = 0; size < 200; size += size < 40 ? 1 : 13) {
    for (const bool is_signed : {false, true}) {
      std::vector<float> x = Numbers(static_cast<int64_t>(size));
      std::vector<uint8_t> bytes(size);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(UpTo(256) - 1);
      const StoredBytes stored{bytes, is_signed, 0.037f, is_signed ? -7 : 121};
      // As it is defined: sums of float32 in 16 parts, which are added to those of a PartialSum.
      float signal[16] = {}, noise[16] = {}, sum[16] = {}, largest = 0;
      std::vector<float> reals;
      for (size_t i = 0; i < size; ++i) {
        const int q = is_signed ? static_cast<int8_t>(bytes[i]) : bytes[i];
        const volatile float real = static_cast<float>(q - stored.zero_point) * stored.scale;
        const float difference = x[i] - real;
        const volatile float square = x[i] * x[i], square_of_difference = difference * difference;
        signal[i % 16] += square;
        noise[i % 16] += square_of_difference;
        sum[i % 16] += std::fabs(difference);
        largest = std::max(largest, std::fabs(difference));
        reals.push_back(float{real});
      }
      Powers powers;
      Errors errors;
      AddByteDifferences(x, stored, powers, errors);
      constexpr size_t kParts = PartialSum::kParts;
      for (size_t i = 0; i < kParts; ++i) {
        EXPECT_EQ(powers.signal.of[i], static_cast<double>(signal[i]) + signal[i + kParts]) << size;
        EXPECT_EQ(powers.noise.of[i], static_cast<double>(noise[i]) + noise[i + kParts]) << size;
        EXPECT_EQ(errors.sum.of[i], static_cast<double>(sum[i]) + sum[i + kParts]) << size;
      }
      EXPECT_EQ(errors.largest, largest);
      EXPECT_EQ(errors.counted, static_cast<int64_t>(size));
      // Nearly what the sums in double are.
      Powers exact;
      Errors exact_errors;
      AddDifferences(x, reals, &exact, &exact_errors);
      EXPECT_NEAR(powers.signal.Total(), exact.signal.Total(), 1e-5 * exact.signal.Total());
      EXPECT_NEAR(powers.noise.Total(), exact.noise.Total(), 1e-5 * exact.noise.Total());
      if (size < 3) continue;
      // What is not finite, or not in the squares of float32, goes the other way: nothing of it counts, or all.
      for (const float strange :
           {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38f}) {
        x[size / 2] = strange;
        Powers some, expected;
        Errors some_errors, expected_errors;
        AddByteDifferences(x, stored, some, some_errors);
        AddDifferences(x, reals, &expected, &expected_errors);
        EXPECT_EQ(some.signal.Total(), expected.signal.Total());
        EXPECT_EQ(some.noise.Total(), expected.noise.Total());
        EXPECT_EQ(some_errors.counted, expected_errors.counted);
        EXPECT_EQ(some_errors.largest, expected_errors.largest);
      }
    }
  }
}

TEST_P(FloatVectors, EndsOfBytes) {
  for (const size_t size : {0, 1, 15, 64, 100, 257}) {
    for (const bool is_signed : {false, true}) {
      std::vector<uint8_t> bytes(size);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(UpTo(256) - 1);
      const int low = is_signed ? -120 : 9, high = is_signed ? 100 : 240, zero = is_signed ? -3 : 128;
      ByteEnds ends;
      ends.flip = is_signed ? 0x80 : 0;
      ends.low = static_cast<uint8_t>(low);
      ends.high = static_cast<uint8_t>(high);
      ends.zero = static_cast<uint8_t>(zero);
      CountEnds(bytes, ends);
      int64_t saturated = 0, zeros = 0;
      for (const uint8_t byte : bytes) {
        const int q = is_signed ? static_cast<int8_t>(byte) : byte;
        saturated += q <= low || q >= high ? 1 : 0;
        zeros += q == zero ? 1 : 0;
      }
      EXPECT_EQ(ends.saturated, saturated) << size;
      EXPECT_EQ(ends.zeros, zeros) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FloatVectors, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), TargetNameOf);

}  // namespace
}  // namespace quantgate::simulator
