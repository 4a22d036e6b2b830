// Convolutions as products of bytes against the definition of a convolution, on random shapes, odd ones among them.
#include "rules/simulator/kernels/conv_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "rules/graph/data_type.h"

namespace quantgate::simulator {
namespace {

struct Shape {
  int64_t batch, groups, in, out;  // channels of a group
  int64_t size[2], kernel[2], stride[2], dilation[2], pads[4];
};

int64_t Element(const Tensor& tensor, int64_t i) {
  const auto byte = static_cast<uint8_t>(tensor.data[i]);
  return IsSigned(tensor.type) ? static_cast<int8_t>(byte) : int64_t{byte};
}

class ConvBytesTest : public testing::Test {
 protected:
  int64_t Draw(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  QTensor Bytes(bool is_signed, std::vector<int64_t> dims) {
    QTensor to;
    to.tensor.type = is_signed ? v1::DATA_TYPE_INT8 : v1::DATA_TYPE_UINT8;
    EXPECT_TRUE(Allocate(dims, to.tensor).ok());
    const int64_t kind = Draw(0, 5);  // ends alone: sums as large as they can be
    for (std::byte& x : to.tensor.data) {
      x = static_cast<std::byte>(kind == 0   ? (is_signed ? 128 : 0)
                                 : kind == 1 ? (is_signed ? 127 : 255)
                                             : Draw(0, 255));
    }
    return to;
  }

  void Check(const Shape& s) {
    QTensor x = Bytes(Draw(0, 1) != 0, {s.batch, s.groups * s.in, s.size[0], s.size[1]});
    QTensor w = Bytes(true, {s.groups * s.out, s.in, s.kernel[0], s.kernel[1]});
    const int64_t low = MinOf(x.tensor.type);
    x.q.scales = {0.02f};
    x.q.zero_points = {Draw(0, 3) == 0 ? low : Draw(0, 3) == 0 ? low + 255 : Draw(low, low + 255)};
    w.q.axis = 0;
    QTensor bias;
    bias.tensor.type = v1::DATA_TYPE_INT32;
    ASSERT_TRUE(Allocate({s.groups * s.out}, bias.tensor).ok());
    for (int64_t c = 0; c < s.groups * s.out; ++c) {
      w.q.scales.push_back(0.001f * static_cast<float>(Draw(1, 40)));
      bias.tensor.as<int32_t>()[c] = static_cast<int32_t>(Draw(-100000, 100000));
    }
    QTensor out;
    out.tensor.type = Draw(0, 1) != 0 ? v1::DATA_TYPE_INT8 : v1::DATA_TYPE_UINT8;
    out.q.scales = {0.05f * static_cast<float>(Draw(1, 40))};
    const int64_t least = MinOf(out.tensor.type), most = MaxOf(out.tensor.type);
    out.q.zero_points = {Draw(0, 3) == 0 ? least : Draw(least, most)};
    Attributes attributes;
    attributes.SetInts("strides", {s.stride[0], s.stride[1]});
    attributes.SetInts("dilations", {s.dilation[0], s.dilation[1]});
    attributes.SetInts("pads", {s.pads[0], s.pads[1], s.pads[2], s.pads[3]});
    attributes.SetInts("group", {s.groups});
    const QTensor* inputs[] = {&x, &w, &bias};
    AccumulatorUse use;
    KernelCall call{OpId::kConv, Layout::kChannelsFirst, &attributes, inputs, absl::MakeSpan(&out, 1), &use};
    const absl::StatusOr<Geometry> g = GeometryOf(call);
    if (!g.ok()) return;  // a kernel larger than what it is over
    const Profile& profile = *FindProfile(Draw(0, 1) != 0 ? "onnxruntime" : "tosa");
    // ONNX Runtime adds a bias as it is where its scale is nearly that of the sums.
    const double off = profile.name == "onnxruntime" && !IsSigned(x.tensor.type) && Draw(0, 1) != 0 ? 1.005 : 1;
    bias.q.axis = 0;
    for (const float scale : w.q.scales) bias.q.scales.push_back(static_cast<float>(off * x.q.scales[0] * scale));
    const auto requantization = MakeRequantization(profile, profile.conv, call, x, w, &bias, g->out_channels, out);
    ASSERT_TRUE(requantization.ok()) << requantization.status();
    ASSERT_TRUE(ConvBytesTakes(call, *g, *requantization));
    ASSERT_TRUE(Allocate(g->output_dims, out.tensor).ok());
    ConvBytes(call, *g, *requantization, out.tensor);
    // The same where nobody asks what the accumulators did.
    KernelCall plain = call;
    plain.use = nullptr;
    const auto without = MakeRequantization(profile, profile.conv, plain, x, w, &bias, g->out_channels, out);
    ASSERT_TRUE(without.ok());
    Tensor again{out.tensor.type, {}, {}};
    ASSERT_TRUE(Allocate(g->output_dims, again).ok());
    ConvBytes(plain, *g, *without, again);
    ASSERT_EQ(again.data, out.tensor.data);
    ++checked_;

    const int64_t rows = g->output_dims[2], columns = g->output_dims[3];
    int64_t at = 0, lowest = 0, highest = 0;
    double signal = 0, noise = 0;
    for (int64_t n = 0; n < s.batch; ++n) {
      for (int64_t c = 0; c < s.groups * s.out; ++c) {
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t q = 0; q < columns; ++q, ++at) {
            int64_t sum = bias.tensor.as<int32_t>()[c];
            for (int64_t i = 0; i < s.in; ++i) {
              for (int64_t a = 0; a < s.kernel[0]; ++a) {
                for (int64_t b = 0; b < s.kernel[1]; ++b) {
                  const int64_t y = r * s.stride[0] + a * s.dilation[0] - s.pads[0];
                  const int64_t z = q * s.stride[1] + b * s.dilation[1] - s.pads[1];
                  if (y < 0 || z < 0 || y >= s.size[0] || z >= s.size[1]) continue;
                  const int64_t channel = n * s.groups * s.in + c / s.out * s.in + i;
                  sum += (Element(x.tensor, (channel * s.size[0] + y) * s.size[1] + z) - x.q.zero_point()) *
                         Element(w.tensor, ((c * s.in + i) * s.kernel[0] + a) * s.kernel[1] + b);
                }
              }
            }
            lowest = std::min(lowest, sum);
            highest = std::max(highest, sum);
            const int64_t expected = requantization->channels[c].rescaler(sum, out.q.zero_point(), least, most);
            ASSERT_EQ(Element(out.tensor, at), expected)
                << "channel " << c << ", row " << r << ", column " << q << " under " << profile.name << "; sum " << sum;
            const double stated = static_cast<double>(bias.tensor.as<int32_t>()[c]) * bias.q.scales[c];
            double real = static_cast<double>(sum - bias.tensor.as<int32_t>()[c]) * x.q.scales[0] * w.q.scales[c];
            real = (real + stated) / out.q.scales[0];
            if (out.q.zero_point() == least) real = std::max(real, 0.0);
            const double difference = real - static_cast<double>(expected - out.q.zero_point());
            signal += real * real;
            noise += difference * difference;
          }
        }
      }
    }
    EXPECT_EQ(use.bits_used, std::max(SignedBits(lowest), SignedBits(highest)));
    EXPECT_GE(use.bits_worst_case, use.bits_used);
    EXPECT_EQ(use.rounding.known, profile.name == "onnxruntime");
    if (!use.rounding.known) return;
    EXPECT_NEAR(use.rounding.signal, signal, 1e-4 * signal);
    EXPECT_NEAR(use.rounding.noise, noise, 1e-3 * noise + 1e-6);
  }

  std::mt19937 random_{17};
  int checked_ = 0;
};

TEST_F(ConvBytesTest, RandomShapes) {
  for (int i = 0; i < 400; ++i) {
    const bool depthwise = i % 3 == 0;
    const int64_t groups = depthwise ? Draw(2, 5) : Draw(0, 3) == 0 ? 2 : 1;
    Shape s{Draw(1, 2), groups, depthwise ? 1 : Draw(1, 9), depthwise ? 1 : Draw(1, 9), {}, {}, {}, {}, {}};
    for (int axis = 0; axis < 2; ++axis) {
      s.size[axis] = Draw(1, 20);
      s.kernel[axis] = Draw(0, 2) == 0 ? 1 : Draw(1, 5);
      s.stride[axis] = Draw(1, 3);
      s.dilation[axis] = Draw(0, 3) == 0 ? 2 : 1;
    }
    for (int64_t& pad : s.pads) pad = Draw(0, 1) == 0 ? 0 : Draw(0, 3);
    ASSERT_NO_FATAL_FAILURE(Check(s)) << "shape " << i;
  }
  EXPECT_GT(checked_, 200);
}

}  // namespace
}  // namespace quantgate::simulator
