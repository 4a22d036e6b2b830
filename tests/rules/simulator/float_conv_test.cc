// Float convolutions against the definition of a convolution, on random shapes, odd ones among them: the same bits on
// every processor.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "rules/simulator/float/float_kernel.h"
#include "tests/rules/simulator/each_target.h"

namespace quantgate::simulator {
namespace {

// A convolution over any number of axes. Counts of channels are of a group.
struct ConvShape {
  int64_t batch, groups, in, out;
  std::vector<int64_t> size, kernel, stride, dilation, begin, end;

  size_t rank() const { return size.size(); }
  int64_t Output(size_t i) const {
    return (size[i] + begin[i] + end[i] - (kernel[i] - 1) * dilation[i] - 1) / stride[i] + 1;
  }
};

// Row-major counting over `sizes`; false behind the last.
bool Next(const std::vector<int64_t>& sizes, std::vector<int64_t>& at) {
  for (size_t i = sizes.size(); i-- > 0;) {
    if (++at[i] < sizes[i]) return true;
    at[i] = 0;
  }
  return false;
}

class FloatConv : public EachTarget {
 protected:
  int64_t Draw(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  Tensor Numbers(const std::vector<int64_t>& dims) {
    Tensor tensor;
    tensor.type = v1::DATA_TYPE_FLOAT32;
    EXPECT_TRUE(Allocate(dims, tensor).ok());
    for (float& x : tensor.as<float>()) x = std::normal_distribution<float>(0, 2)(random_);
    return tensor;
  }

  // The sum for one output: products are added with one rounding, channels and then taps follow each other, padding
  // counts nothing.
  static float Sum(const ConvShape& s, const Tensor& x, const Tensor& w, int64_t n, int64_t channel,
                   const std::vector<int64_t>& output) {
    float sum = 0;
    for (int64_t c = 0; c < s.in; ++c) {
      std::vector<int64_t> tap(s.rank());
      int64_t weight = channel * s.in + c;
      for (size_t i = 0; i < s.rank(); ++i) weight *= s.kernel[i];
      do {
        int64_t at = n * s.groups * s.in + channel / s.out * s.in + c;
        bool inside = true;
        for (size_t i = 0; i < s.rank(); ++i) {
          const int64_t position = output[i] * s.stride[i] - s.begin[i] + tap[i] * s.dilation[i];
          inside &= position >= 0 && position < s.size[i];
          at = at * s.size[i] + position;
        }
        if (inside) {
          sum = std::fma(x.as<float>()[at], w.as<float>()[weight], sum);
        }
        ++weight;
      } while (Next(s.kernel, tap));
    }
    return sum;
  }

  void Check(const ConvShape& s) {
    std::vector<int64_t> x_dims = {s.batch, s.groups * s.in}, w_dims = {s.groups * s.out, s.in}, outputs;
    x_dims.insert(x_dims.end(), s.size.begin(), s.size.end());
    w_dims.insert(w_dims.end(), s.kernel.begin(), s.kernel.end());
    for (size_t i = 0; i < s.rank(); ++i) outputs.push_back(s.Output(i));
    const Tensor x = Numbers(x_dims), w = Numbers(w_dims), bias = Numbers({s.groups * s.out});
    Attributes attributes;
    std::vector<int64_t> pads = s.begin;
    pads.insert(pads.end(), s.end.begin(), s.end.end());
    attributes.SetInts("strides", s.stride);
    attributes.SetInts("dilations", s.dilation);
    attributes.SetInts("pads", pads);
    attributes.SetInt("group", s.groups);
    const bool with_bias = Draw(0, 1) != 0;
    const Tensor* inputs[3] = {&x, &w, with_bias ? &bias : nullptr};
    std::vector<Tensor> out(1);
    FloatCall call{OpId::kConv, Layout::kChannelsFirst, attributes, inputs, absl::MakeSpan(out)};
    call.relu = Draw(0, 1) != 0;
    const bool relu = call.relu;
    const absl::Status status = RunFloatKernel(call);
    ASSERT_TRUE(status.ok()) << status;
    std::vector<int64_t> dims = {s.batch, s.groups * s.out};
    dims.insert(dims.end(), outputs.begin(), outputs.end());
    ASSERT_EQ(out[0].dims, dims);
    size_t i = 0;
    for (int64_t n = 0; n < s.batch; ++n) {
      for (int64_t channel = 0; channel < s.groups * s.out; ++channel) {
        std::vector<int64_t> at(s.rank());
        do {
          float sum = Sum(s, x, w, n, channel, at) + (with_bias ? bias.as<float>()[channel] : 0);
          if (relu && sum < 0) sum = 0;
          ASSERT_EQ(out[0].as<float>()[i], sum) << "element " << i;
          ++i;
        } while (Next(outputs, at));
      }
    }
  }

  // Sizes of one axis whose window fits.
  void AddAxis(ConvShape& s, int64_t most) {
    const int64_t kernel = Draw(1, 4), stride = Draw(1, 3), dilation = Draw(1, 2);
    const int64_t extent = (kernel - 1) * dilation + 1;
    const int64_t size = Draw(1, most), begin = Draw(0, 3);
    s.size.push_back(size);
    s.kernel.push_back(kernel);
    s.stride.push_back(stride);
    s.dilation.push_back(dilation);
    s.begin.push_back(begin);
    s.end.push_back(std::max<int64_t>(extent - size - begin, 0) + Draw(0, 2));
  }

  std::mt19937 random_{11};
};

TEST_P(FloatConv, RandomShapes) {
  for (int round = 0; round < 100; ++round) {
    ConvShape s{Draw(1, 2), round % 3 == 0 ? Draw(1, 4) : 1, Draw(1, 5), Draw(1, 9), {}, {}, {}, {}, {}, {}};
    const int64_t rank = 1 + round % 3;
    for (int64_t i = 0; i < rank; ++i) AddAxis(s, i + 1 < rank ? 8 : 40);
    Check(s);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

TEST_P(FloatConv, OneChannelInEachGroup) {
  for (int round = 0; round < 100; ++round) {
    ConvShape s{Draw(1, 2), Draw(1, 5), 1, Draw(1, 3), {}, {}, {}, {}, {}, {}};
    const int64_t rank = 1 + round % 3;
    for (int64_t i = 0; i < rank; ++i) AddAxis(s, i + 1 < rank ? 12 : 40);
    Check(s);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

// Three by three taps have a way of their own: every count of rows that are computed at a time, and of columns that a
// vector has or has not. The last two are close to them.
TEST_P(FloatConv, ThreeByThree) {
  for (const int64_t stride : {1, 2}) {
    for (const int64_t rows : {1, 2, 3, 4, 5, 7, 8, 11, 14}) {
      for (const int64_t columns : {1, 7, 16, 28, 33}) {
        const std::vector<int64_t> size = {(rows - 1) * stride + 1, (columns - 1) * stride + 1};
        Check({1, 2, 1, 1, size, {3, 3}, {stride, stride}, {1, 1}, {1, 1}, {1, 1}});
        if (HasFatalFailure()) FAIL() << rows << " rows and " << columns << " columns by " << stride;
      }
    }
  }
  Check({1, 2, 1, 1, {9, 20}, {3, 3}, {1, 2}, {1, 1}, {1, 1}, {1, 1}});
  Check({1, 2, 1, 1, {9, 20}, {3, 3}, {1, 1}, {2, 1}, {1, 1}, {1, 1}});
}

// Sums of several panels, and kernels of one tap with all that they can have.
TEST_P(FloatConv, ManyChannelsAndKernelsOfOneTap) {
  Check({1, 1, 300, 13, {5, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}});
  Check({1, 1, 40, 7, {6, 7}, {3, 3}, {2, 1}, {1, 1}, {1, 1}, {1, 1}});
  Check({1, 1, 3, 5, {4, 5}, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {3, 4}});  // as many outputs as inputs
  Check({2, 1, 3, 5, {4, 5}, {1, 1}, {1, 1}, {1, 1}, {1, 0}, {0, 2}});
  Check({1, 2, 129, 3, {70}, {1}, {1}, {1}, {0}, {0}});
  Check({1, 1, 131, 37, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}});  // one output more than vectors hold
}

TEST(FloatConvWork, WindowsOverTooMuchAreRefused) {
  Tensor x, w;
  x.type = w.type = v1::DATA_TYPE_FLOAT32;
  ASSERT_TRUE(Allocate({1, 1, 512, 512}, x).ok());
  const auto run = [&](int64_t kernel) {
    EXPECT_TRUE(Allocate({1, 1, kernel, kernel}, w).ok());
    Attributes attributes;
    attributes.SetInts("pads", {0, 0, kernel - 1, kernel - 1});
    const Tensor* inputs[2] = {&x, &w};
    std::vector<Tensor> out(1);
    FloatCall call{OpId::kConv, Layout::kChannelsFirst, attributes, inputs, absl::MakeSpan(out)};
    return RunFloatKernel(call);
  };
  EXPECT_EQ(run(65).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(run(12).ok());
}

INSTANTIATE_TEST_SUITE_P(Targets, FloatConv, testing::ValuesIn(hwy::SupportedAndGeneratedTargets()), TargetNameOf);

}  // namespace
}  // namespace quantgate::simulator
