// Integers under other parameters, against the definition: each is the one of its type whose real number is nearest.
#include "client/fix/requantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace quantgate {
namespace {

using ::testing::ElementsAre;

v1::Spec SpecWith(v1::DataType type, std::vector<double> scales, std::vector<double> zero_points = {}, int axis = -1) {
  v1::Spec spec;
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(type);
  spec.mutable_qparams()->mutable_scales()->Add(scales.begin(), scales.end());
  spec.mutable_qparams()->mutable_zero_points()->Add(zero_points.begin(), zero_points.end());
  if (axis >= 0) spec.mutable_qparams()->add_axes(axis);
  return spec;
}

std::string Bytes(std::vector<int> values) { return {values.begin(), values.end()}; }

std::vector<int> Signed(const std::string& bytes) {
  std::vector<int> values;
  for (char byte : bytes) values.push_back(static_cast<signed char>(byte));
  return values;
}

TEST(Requantize, RoundsHalfToEvenAndSaturates) {
  // 0.5 steps of the new scale for each of the old one: 1, 3, 5 are halves.
  const auto out = Requantize(Bytes({1, 3, 5, -3, 127}), {5}, SpecWith(v1::DATA_TYPE_INT8, {0.5}),
                              SpecWith(v1::DATA_TYPE_INT8, {1.0}));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(Signed(*out), ElementsAre(0, 2, 2, -2, 64));
  const auto wide = Requantize(Bytes({100, -100, 127}), {3}, SpecWith(v1::DATA_TYPE_INT8, {1.0}),
                               SpecWith(v1::DATA_TYPE_INT8, {0.5}));
  ASSERT_TRUE(wide.ok());
  EXPECT_THAT(Signed(*wide), ElementsAre(127, -128, 127));
}

TEST(Requantize, MovesTheZeroPointExactly) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  const auto out =
      Requantize(all, {256}, SpecWith(v1::DATA_TYPE_UINT8, {0.1}, {128}), SpecWith(v1::DATA_TYPE_INT8, {0.1}));
  ASSERT_TRUE(out.ok());
  for (int i = 0; i < 256; ++i) EXPECT_EQ(static_cast<signed char>((*out)[i]), i - 128);
}

TEST(Requantize, KnowsTheChannelOfEachElement) {
  // Shape [2, 3]; per channel along axis 1 to one scale.
  const auto out = Requantize(Bytes({1, 1, 1, 2, 2, 2}), {2, 3}, SpecWith(v1::DATA_TYPE_INT8, {1, 2, 3}, {0, 0, 0}, 1),
                              SpecWith(v1::DATA_TYPE_INT8, {1}));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(Signed(*out), ElementsAre(1, 2, 3, 2, 4, 6));
  const auto rows = Requantize(Bytes({1, 1, 1, 2, 2, 2}), {2, 3}, SpecWith(v1::DATA_TYPE_INT8, {1}),
                               SpecWith(v1::DATA_TYPE_INT8, {1, 0.5}, {}, 0));
  ASSERT_TRUE(rows.ok());
  EXPECT_THAT(Signed(*rows), ElementsAre(1, 1, 1, 4, 4, 4));
}

TEST(Requantize, KnowsTheBlockOfEachElement) {
  v1::Spec blocked = SpecWith(v1::DATA_TYPE_INT8, {1, 2, 3, 4}, {}, 0);
  blocked.mutable_qparams()->add_axes(1);
  blocked.mutable_qparams()->add_block_sizes(1);
  blocked.mutable_qparams()->add_block_sizes(2);
  const auto out = Requantize(Bytes({1, 1, 1, 1, 1, 1}), {2, 3}, blocked, SpecWith(v1::DATA_TYPE_INT8, {1}));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(Signed(*out), ElementsAre(1, 1, 2, 3, 3, 4));
}

TEST(Requantize, PacksTypesBelowEightBits) {
  // 7, -8, -1 as int4, first element in the low nibble; to int8 and back.
  const std::string packed = {static_cast<char>(0x87), static_cast<char>(0x0F)};
  const auto wide = Requantize(packed, {3}, SpecWith(v1::DATA_TYPE_INT4, {1}), SpecWith(v1::DATA_TYPE_INT8, {1}));
  ASSERT_TRUE(wide.ok());
  EXPECT_THAT(Signed(*wide), ElementsAre(7, -8, -1));
  const auto back = Requantize(*wide, {3}, SpecWith(v1::DATA_TYPE_INT8, {1}), SpecWith(v1::DATA_TYPE_INT4, {1}));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, packed);
}

TEST(Requantize, KeepsTheRangeThatTheSpecStates) {
  v1::Spec narrow = SpecWith(v1::DATA_TYPE_INT8, {1});
  narrow.set_quant_min(-127);
  const auto out = Requantize(Bytes({-128, 5}), {2}, SpecWith(v1::DATA_TYPE_INT8, {1}), narrow);
  ASSERT_TRUE(out.ok());
  EXPECT_THAT(Signed(*out), ElementsAre(-127, 5));
}

TEST(Requantize, RefusesWhatDoesNotHoldTogether) {
  const v1::Spec plain = SpecWith(v1::DATA_TYPE_INT8, {1});
  EXPECT_FALSE(Requantize("abc", {4}, plain, plain).ok());
  EXPECT_FALSE(Requantize("abc", {-3}, plain, plain).ok());
  EXPECT_FALSE(Requantize("", {int64_t{1} << 62, 4}, plain, plain).ok());
  EXPECT_FALSE(Requantize("abc", {3}, SpecWith(v1::DATA_TYPE_INT8, {NAN}), plain).ok());
  EXPECT_FALSE(Requantize("abc", {3}, plain, SpecWith(v1::DATA_TYPE_INT8, {0.0})).ok());
  EXPECT_FALSE(Requantize("abc", {3}, SpecWith(v1::DATA_TYPE_INT8, {1, 2}, {}, 0), plain).ok());
  EXPECT_FALSE(Requantize("abc", {3}, SpecWith(v1::DATA_TYPE_INT8, {1, 2, 3}, {}, 4), plain).ok());
  EXPECT_FALSE(Requantize("abc", {3}, SpecWith(v1::DATA_TYPE_INT8, {1, 2, 3}, {0, 0}, 0), plain).ok());
  EXPECT_FALSE(Requantize("abcd", {1}, SpecWith(v1::DATA_TYPE_FLOAT32, {1}), plain).ok());
  EXPECT_TRUE(Requantize("", {0, 5}, plain, plain).ok());
}

}  // namespace
}  // namespace quantgate
