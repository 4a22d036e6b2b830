#include "rules/simulator/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rules/simulator/kernel.h"

namespace quantgate::simulator {
namespace {

Multiplier Exact(double real) {
  absl::StatusOr<Multiplier> multiplier = MakeMultiplier(real);
  EXPECT_TRUE(multiplier.ok()) << real;
  return multiplier.value_or(Multiplier{});
}

TEST(Arithmetic, MultipliersAreNormalized) {
  EXPECT_EQ(Exact(0.5).mantissa, 1 << 30);
  EXPECT_EQ(Exact(0.5).shift, 0);
  EXPECT_EQ(Exact(1.0).shift, 1);
  // Rounds up to the next power of two.
  EXPECT_EQ(Exact(1.0 - 1e-15).mantissa, 1 << 30);
  EXPECT_EQ(Exact(1.0 - 1e-15).shift, 1);
  EXPECT_EQ(Exact(1e-30).mantissa, 0);
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity(), 2147483648.0}) {
    EXPECT_EQ(MakeMultiplier(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

TEST(Arithmetic, TiesGoWhereTheFormSays) {
  // 3 * 0.5 and -3 * 0.5.
  const Multiplier half = Exact(0.5);
  EXPECT_EQ(MultiplyDoubleRounding(3, half), 2);
  EXPECT_EQ(MultiplyDoubleRounding(-3, half), -1);  // the first rounding is to the upper one
  EXPECT_EQ(MultiplySingleRounding(-3, half), -1);
  EXPECT_EQ(MultiplyDoubleRounding(-6, Exact(0.25)), -2);  // the second is away from zero
  EXPECT_EQ(MultiplySingleRounding(-6, Exact(0.25)), -1);
  EXPECT_EQ(RoundEvenClamped(2.5, -8, 7), 2);
  EXPECT_EQ(RoundEvenClamped(std::nan(""), -8, 7), -8);
  EXPECT_EQ(DivideAway(-5, 2), -3);
}

TEST(Arithmetic, NothingIsUndefined) {
  for (const double real : {1e-12, 0.3, 1.0, 255.5, 2147483000.0}) {
    const Multiplier m = Exact(real);
    for (const int64_t x : {INT64_MIN, int64_t{INT32_MIN}, int64_t{-1}, int64_t{0}, int64_t{INT32_MAX}, INT64_MAX}) {
      MultiplyDoubleRounding(Wrap32(x), m);
      MultiplySingleRounding(x, m);
      MultiplyBy15Bits(x, m);
      for (const Rescale form : {Rescale::kFloat, Rescale::kDoubleRounding, Rescale::kSingleRounding,
                                 Rescale::kMultiplier15, Rescale::kMultiplier24, Rescale::kTosaDouble}) {
        absl::StatusOr<Rescaler> rescaler = Rescaler::Make(form, real);
        ASSERT_TRUE(rescaler.ok());
        const int64_t y = (*rescaler)(x, 3, -128, 127);
        EXPECT_GE(y, -128);
        EXPECT_LE(y, 127);
      }
    }
  }
}

TEST(Arithmetic, SignedBits) {
  EXPECT_EQ(SignedBits(0), 1);
  EXPECT_EQ(SignedBits(127), 8);
  EXPECT_EQ(SignedBits(-128), 8);
  EXPECT_EQ(SignedBits(128), 9);
  EXPECT_EQ(SignedBits(INT64_MIN), 64);
  EXPECT_EQ(WrapTo((int64_t{1} << 31) + 5, 32), -(int64_t{1} << 31) + 5);
}

// Float to int8 with scale 0.5 and zero point 1, under the named profile.
int QuantizedUnder(absl::string_view profile, float x) {
  QTensor in, out;
  in.tensor = {v1::DATA_TYPE_FLOAT32, {1}, {}};
  EXPECT_TRUE(Allocate({1}, in.tensor).ok());
  in.tensor.as<float>()[0] = x;
  out.tensor.type = v1::DATA_TYPE_INT8;
  out.q = {{0.5f}, {1}};
  const QTensor* inputs[] = {&in};
  KernelCall call{.op = OpId::kQuantize, .inputs = inputs, .outputs = absl::MakeSpan(&out, 1)};
  const absl::Status status = RunKernel(*FindProfile(profile), call);
  EXPECT_TRUE(status.ok()) << status;
  return status.ok() ? out.tensor.as<int8_t>()[0] : 0;
}

TEST(Quantize, TiesByProfile) {
  EXPECT_EQ(QuantizedUnder("onnxruntime", 1.25f), 3);       // 2.5 to 2, + 1
  EXPECT_EQ(QuantizedUnder("litert/reference", 1.25f), 4);  // 2.5 to 3, + 1
  EXPECT_EQ(QuantizedUnder("torch", 1.25f), 3);
  EXPECT_EQ(QuantizedUnder("torch/x86", 1.25f), 4);  // 3.5 to 4
  EXPECT_EQ(QuantizedUnder("onnxruntime", 1e30f), 127);
  EXPECT_EQ(QuantizedUnder("onnxruntime", -1e30f), -128);
}

TEST(Quantize, RefusesScalesThatAreNone) {
  QTensor in, out;
  in.tensor = {v1::DATA_TYPE_FLOAT32, {2}, Bytes(8, std::byte{0})};
  out.tensor.type = v1::DATA_TYPE_INT8;
  const QTensor* inputs[] = {&in};
  KernelCall call{.op = OpId::kQuantize, .inputs = inputs, .outputs = absl::MakeSpan(&out, 1)};
  for (const float scale : {0.0f, -1.0f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    out.q = {{scale}, {0}};
    EXPECT_EQ(RunKernel(Profiles()[0], call).code(), absl::StatusCode::kInvalidArgument) << scale;
  }
  in.tensor.dims = {3};
  EXPECT_EQ(RunKernel(Profiles()[0], call).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace quantgate::simulator
