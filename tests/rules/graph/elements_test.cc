// Elements of constants as views: every form, at any address.
#include "rules/graph/elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace quantgate {
namespace {

v1::Value Bytes(v1::DataType dtype, const std::string& data) {
  v1::Value value;
  value.set_dtype(dtype);
  value.mutable_constant()->set_data(data);
  return value;
}

template <typename T>
std::string BytesOf(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

template <typename T>
std::vector<T> All(const NumberView<T>& view) {
  return {view.begin(), view.end()};
}

TEST(Elements, OfBytesAreThoseOfTheirType) {
  EXPECT_EQ(All(IntegersOf(Bytes(v1::DATA_TYPE_INT8, "\x80\x7f"))), (std::vector<int64_t>{-128, 127}));
  EXPECT_EQ(All(IntegersOf(Bytes(v1::DATA_TYPE_UINT8, "\x80\x7f"))), (std::vector<int64_t>{128, 127}));
  const std::vector<int32_t> wide = {std::numeric_limits<int32_t>::min(), 7};
  EXPECT_EQ(All(IntegersOf(Bytes(v1::DATA_TYPE_INT32, BytesOf(wide)))),
            (std::vector<int64_t>{std::numeric_limits<int32_t>::min(), 7}));
  const std::vector<float> reals = {0.1F, -3.5F};
  const v1::Value scales = Bytes(v1::DATA_TYPE_FLOAT32, BytesOf(reals));
  EXPECT_EQ(All(RealsOf(scales)), (std::vector<double>{0.1F, -3.5}));
  EXPECT_TRUE(IntegersOf(scales).empty());
  EXPECT_EQ(All(NumbersOf(Bytes(v1::DATA_TYPE_INT8, "\xff"))), std::vector<double>{-1});
}

TEST(Elements, OfOtherTypesAndOfWeightsAreNotRead) {
  EXPECT_TRUE(IntegersOf(Bytes(v1::DATA_TYPE_INT64, std::string(8, '\1'))).empty());
  EXPECT_TRUE(RealsOf(Bytes(v1::DATA_TYPE_INT8, "\1")).empty());
  EXPECT_TRUE(NumbersOf(Bytes(v1::DATA_TYPE_UNSPECIFIED, "\1")).empty());
  EXPECT_EQ(IntegersOf(Bytes(v1::DATA_TYPE_INT8, std::string(kMostPackedElements, '\0'))).size(), kMostPackedElements);
  EXPECT_TRUE(IntegersOf(Bytes(v1::DATA_TYPE_INT8, std::string(kMostPackedElements + 1, '\0'))).empty());
}

TEST(Elements, LeaveAnIncompleteOneOut) {
  EXPECT_EQ(RealsOf(Bytes(v1::DATA_TYPE_FLOAT32, std::string(7, '\0'))).size(), 1U);
  EXPECT_TRUE(RealsOf(Bytes(v1::DATA_TYPE_FLOAT32, std::string(3, '\0'))).empty());
}

TEST(Elements, ThatAreListedCountFirst) {
  v1::Value value = Bytes(v1::DATA_TYPE_INT8, "\1\2");
  EXPECT_TRUE(IsPacked(value));
  value.mutable_constant()->add_ints(300);
  EXPECT_FALSE(IsPacked(value));
  EXPECT_EQ(All(IntegersOf(value)), std::vector<int64_t>{300});
  EXPECT_EQ(All(NumbersOf(value)), std::vector<double>{300});
  ListElements(value);
  EXPECT_EQ(value.constant().data(), "\1\2");
}

TEST(Elements, AreListed) {
  v1::Value value = Bytes(v1::DATA_TYPE_INT8, "\1\xfe");
  ListElements(value);
  EXPECT_EQ(All(IntegersOf(value)), (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(value.constant().ints_size(), 2);
  EXPECT_TRUE(value.constant().data().empty());
}

TEST(NumberView, ReadsAtAnyAddress) {
  const std::vector<float> reals = {1.5F, 2.5F};
  const std::string shifted = "." + BytesOf(reals);
  const RealView view(shifted.data() + 1, 2, RealView::Form::kFloat);
  EXPECT_EQ(All(view), (std::vector<double>{1.5, 2.5}));
}

TEST(NumberView, IsARangeForAlgorithms) {
  const std::vector<int64_t> numbers = {3, 1, 2};
  const IntegerView view(numbers);
  EXPECT_EQ(*std::max_element(view.begin(), view.end()), 3);
  EXPECT_EQ(std::find(view.begin(), view.end(), 2) - view.begin(), 2);
  EXPECT_EQ(view.begin()[1], 1);
}

}  // namespace
}  // namespace quantgate
