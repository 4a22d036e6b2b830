#include "client/tensor/scan.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "client/tensor/element.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/graph/small_float.h"

namespace quantgate {
namespace {

using testing::ElementsAre;

struct FloatCase {
  v1::DataType dtype;
  uint16_t bits;
  double value;  // NaN: the pattern is NaN
};

class SmallFloat : public testing::TestWithParam<FloatCase> {};

// Values from the tables of the OCP 8-bit floating point and MX specifications, from the FNUZ paper (Graphcore) and
// from IEEE 754.
TEST_P(SmallFloat, DecodesAsSpecified) {
  const FloatCase& c = GetParam();
  const double value = SmallFloatValues(c.dtype)[c.bits];
  if (std::isnan(c.value)) {
    EXPECT_TRUE(std::isnan(value)) << value;
  } else {
    EXPECT_EQ(value, c.value);
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
INSTANTIATE_TEST_SUITE_P(
    Patterns, SmallFloat,
    testing::Values(
        FloatCase{v1::DATA_TYPE_FLOAT16, 0x3c00, 1}, FloatCase{v1::DATA_TYPE_FLOAT16, 0x7bff, 65504},
        FloatCase{v1::DATA_TYPE_FLOAT16, 0x0001, 0x1p-24}, FloatCase{v1::DATA_TYPE_FLOAT16, 0xfc00, -kInf},
        FloatCase{v1::DATA_TYPE_FLOAT16, 0x7e00, kNan}, FloatCase{v1::DATA_TYPE_BFLOAT16, 0x3f80, 1},
        FloatCase{v1::DATA_TYPE_BFLOAT16, 0x7f80, kInf}, FloatCase{v1::DATA_TYPE_BFLOAT16, 0x0001, 0x1p-133},
        FloatCase{v1::DATA_TYPE_FLOAT8_E4M3FN, 0x7e, 448}, FloatCase{v1::DATA_TYPE_FLOAT8_E4M3FN, 0x7f, kNan},
        FloatCase{v1::DATA_TYPE_FLOAT8_E4M3FN, 0x01, 0x1p-9}, FloatCase{v1::DATA_TYPE_FLOAT8_E4M3FN, 0xb8, -1},
        FloatCase{v1::DATA_TYPE_FLOAT8_E4M3FNUZ, 0x7f, 240}, FloatCase{v1::DATA_TYPE_FLOAT8_E4M3FNUZ, 0x80, kNan},
        FloatCase{v1::DATA_TYPE_FLOAT8_E5M2, 0x7b, 57344}, FloatCase{v1::DATA_TYPE_FLOAT8_E5M2, 0x7c, kInf},
        FloatCase{v1::DATA_TYPE_FLOAT8_E5M2, 0x7d, kNan}, FloatCase{v1::DATA_TYPE_FLOAT8_E5M2, 0x01, 0x1p-16},
        FloatCase{v1::DATA_TYPE_FLOAT8_E5M2FNUZ, 0x7f, 57344}, FloatCase{v1::DATA_TYPE_FLOAT8_E5M2FNUZ, 0x80, kNan},
        FloatCase{v1::DATA_TYPE_FLOAT8_E8M0, 0x7f, 1}, FloatCase{v1::DATA_TYPE_FLOAT8_E8M0, 0xff, kNan},
        FloatCase{v1::DATA_TYPE_FLOAT8_E8M0, 0x00, 0x1p-127}, FloatCase{v1::DATA_TYPE_FLOAT4_E2M1, 0x1, 0.5},
        FloatCase{v1::DATA_TYPE_FLOAT4_E2M1, 0x7, 6}, FloatCase{v1::DATA_TYPE_FLOAT4_E2M1, 0xd, -3}));

v1::Constant Scan(const ScanOptions& options, const std::string& bytes) {
  TensorScan scan(options, static_cast<int64_t>(bytes.size()));
  scan.AddBytes(bytes);
  v1::Constant constant;
  scan.Finish(&constant);
  return constant;
}

TEST(TensorScan, PackedTypesStartInTheLowBits) {
  EXPECT_THAT(Scan({.dtype = v1::DATA_TYPE_INT4, .dims = {3}, .max_listed = 9}, "\x8f\x07").ints(),
              ElementsAre(-1, -8, 7));
  EXPECT_THAT(Scan({.dtype = v1::DATA_TYPE_UINT4, .dims = {4}, .max_listed = 9}, "\x8f\x07").ints(),
              ElementsAre(15, 8, 7, 0));
  EXPECT_THAT(Scan({.dtype = v1::DATA_TYPE_INT2, .dims = {4}, .max_listed = 9}, "\xe4").ints(),
              ElementsAre(0, 1, -2, -1));
}

TEST(TensorScan, PaddingCountsOnlyWhereTheShapeAgrees) {
  // One int4 per byte instead of two: twice as many elements as declared, and that is what is reported.
  EXPECT_EQ(Scan({.dtype = v1::DATA_TYPE_INT4, .dims = {4}}, "\x01\x02\x03\x04").statistics().count(), 8);
  EXPECT_EQ(Scan({.dtype = v1::DATA_TYPE_INT4, .dims = {7}}, "\x01\x02\x03\x04").statistics().count(), 7);
}

TEST(TensorScan, ChunksAreOneStream) {
  std::string bytes(64, '\0');
  for (int i = 0; i < 64; ++i) bytes[i] = static_cast<char>(i);
  const ScanOptions options{
      .dtype = v1::DATA_TYPE_UINT16, .dims = {4, 8}, .axis = 0, .max_axis_size = 99, .max_listed = 99};
  TensorScan scan(options, 64);
  for (int i = 0; i < 64; i += 16) scan.AddBytes(absl::string_view(bytes).substr(i, 16));
  v1::Constant chunked;
  scan.Finish(&chunked);
  EXPECT_EQ(chunked.SerializeAsString(), Scan(options, bytes).SerializeAsString());
  EXPECT_EQ(chunked.statistics().axis_max_size(), 4);
  EXPECT_EQ(chunked.statistics().axis_min(1), 0x1110);
}

TEST(TensorScan, AxisInTheMiddle) {
  // dims [2, 2, 2]: channel of element i is (i / 2) % 2.
  const v1::Constant constant = Scan({.dtype = v1::DATA_TYPE_INT8, .dims = {2, 2, 2}, .axis = 1, .max_axis_size = 2},
                                     std::string("\0\1\2\3\4\5\6\7", 8));
  EXPECT_THAT(constant.statistics().axis_min(), ElementsAre(0, 2));
  EXPECT_THAT(constant.statistics().axis_max(), ElementsAre(5, 7));
}

TEST(TensorScan, AxisIsLeftOutWhenItsSizeIsNotBacked) {
  const ScanOptions huge{
      .dtype = v1::DATA_TYPE_INT8, .dims = {int64_t{1} << 40}, .axis = 0, .max_axis_size = int64_t{1} << 41};
  EXPECT_FALSE(Scan(huge, "abc").statistics().has_axis());
  const ScanOptions overflow{
      .dtype = v1::DATA_TYPE_INT8, .dims = {int64_t{1} << 40, int64_t{1} << 40}, .axis = 0, .max_axis_size = 8};
  EXPECT_FALSE(Scan(overflow, "abc").statistics().has_axis());
  EXPECT_FALSE(
      Scan({.dtype = v1::DATA_TYPE_INT8, .dims = {3}, .axis = 0, .max_axis_size = 2}, "abc").statistics().has_axis());
}

TEST(TensorScan, FirstIndexOfMinimumAndMaximum) {
  const v1::Constant constant = Scan({.dtype = v1::DATA_TYPE_INT8, .dims = {5}}, std::string("\1\2\0\2\0", 5));
  EXPECT_EQ(constant.statistics().min_index(), 2);
  EXPECT_EQ(constant.statistics().max_index(), 1);
  EXPECT_EQ(constant.statistics().zero_count(), 2);
}

TEST(TensorScan, PartialElementIsNotCounted) {
  EXPECT_EQ(Scan({.dtype = v1::DATA_TYPE_FLOAT32, .dims = {2}}, "abcdefg").statistics().count(), 1);
}

TEST(TensorScan, EmptyAndAllNanHaveNoMinimum) {
  EXPECT_EQ(Scan({.dtype = v1::DATA_TYPE_INT8, .dims = {0}}, "").statistics().count(), 0);
  const float nan = NAN;
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &nan, 4);
  const v1::Constant constant = Scan({.dtype = v1::DATA_TYPE_FLOAT32, .dims = {1}}, bytes);
  EXPECT_EQ(constant.statistics().nan_count(), 1);
  EXPECT_EQ(constant.statistics().min(), 0);
}

TEST(TensorScan, StringsAndComplexNumbersHaveNoStatistics) {
  EXPECT_FALSE(Scan({.dtype = v1::DATA_TYPE_COMPLEX64, .dims = {1}}, "abcdefgh").has_statistics());
  EXPECT_FALSE(Scan({.dtype = v1::DATA_TYPE_STRING, .dims = {1}}, "abcdefgh").has_statistics());
}

}  // namespace
}  // namespace quantgate
