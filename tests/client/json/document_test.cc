#include "client/json/document.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quantgate {
namespace {

using ::testing::HasSubstr;

JsonDocument Parsed(absl::string_view text) {
  absl::StatusOr<JsonDocument> document = JsonDocument::Parse(text);
  EXPECT_TRUE(document.ok()) << document.status();
  return *std::move(document);
}

std::string PlaceText(JsonValue value) {
  const JsonPlace place = value.place();
  return absl::StrCat(place.line, ":", place.column);
}

TEST(JsonDocument, KindsAndPlaces) {
  const JsonDocument document = Parsed("{\"a\": [1, -2.5e3,\n  \"x\\n\\u00e9\", true], \"b\" : {\"c\":null}}");
  const JsonValue root = document.root();
  ASSERT_TRUE(root.is_object());
  EXPECT_EQ(root.size(), 2);
  const JsonValue list = root.Find("a").value;
  ASSERT_TRUE(list.is_array());
  std::vector<JsonValue> elements;
  list.ForEach([&](absl::string_view key, JsonValue value) {
    EXPECT_EQ(key, "");
    elements.push_back(value);
    return true;
  });
  ASSERT_EQ(elements.size(), 4u);
  EXPECT_EQ(elements[0].number(), 1);
  EXPECT_EQ(elements[1].number(), -2500);
  EXPECT_EQ(elements[2].text(), "x\n\xc3\xa9");
  EXPECT_TRUE(elements[3].is_true());
  EXPECT_EQ(PlaceText(list), "1:7");
  EXPECT_EQ(PlaceText(elements[0]), "1:8");
  EXPECT_EQ(PlaceText(elements[1]), "1:11");
  EXPECT_EQ(PlaceText(elements[2]), "2:3");
  EXPECT_EQ(root.Find("b").value.Find("c").value.kind(), JsonKind::kNull);
  EXPECT_EQ(PlaceText(root.Find("b").value), "2:29");
  EXPECT_EQ(PlaceText(root.Find("b").value.Find("c").value), "2:34");
  EXPECT_FALSE(root.Find("c").found);
  EXPECT_EQ(elements[1].Excerpt(), "-2.5e3");
  EXPECT_EQ(list.Excerpt(), "a list of 4");
}

TEST(JsonDocument, NumbersAreExactAndMayBeNone) {
  const JsonDocument document = Parsed("[0.0004648151807487011, 1e-40, NaN, -Infinity, 3, 9007199254740993]");
  std::vector<JsonValue> numbers;
  document.root().ForEach([&](absl::string_view, JsonValue value) {
    numbers.push_back(value);
    return true;
  });
  EXPECT_EQ(numbers[0].number(), 0.0004648151807487011);
  EXPECT_EQ(numbers[1].number(), 1e-40);
  EXPECT_TRUE(std::isnan(numbers[2].number()));
  EXPECT_EQ(numbers[3].number(), -HUGE_VAL);
  EXPECT_TRUE(numbers[4].is_integer());
  EXPECT_FALSE(numbers[0].is_integer());
  EXPECT_FALSE(numbers[2].is_integer());
}

// RapidJSON's own conversion makes -2.6e33 of the first.
TEST(JsonDocument, ZerosWithExponents) {
  const JsonDocument document = Parsed("[0e212, 0.000e300, -0e99, 0e-400, 1e-999, 5e-324, 1.7976931348623157e308]");
  std::vector<double> numbers;
  document.root().ForEach([&](absl::string_view, JsonValue value) {
    numbers.push_back(value.number());
    return true;
  });
  EXPECT_THAT(numbers, ::testing::ElementsAre(0, 0, 0, 0, 0, 5e-324, 1.7976931348623157e308));
}

TEST(JsonDocument, TheLastOfRepeatedKeys) {
  const JsonDocument document = Parsed("{\"a\": 1, \"a\": 2}");
  EXPECT_EQ(document.root().Find("a").value.number(), 2);
  EXPECT_EQ(document.root().size(), 2);
}

struct Refusal {
  const char* name;
  std::string text;
  const char* code;
  const char* reason;
};

class NoDocument : public ::testing::TestWithParam<Refusal> {};

TEST_P(NoDocument, SaysWhyAndWhere) {
  const absl::Status status = JsonDocument::Parse(GetParam().text).status();
  EXPECT_EQ(ErrorCode(status), GetParam().code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, NoDocument,
    ::testing::Values(Refusal{"Empty", "", "FI001", "is empty"},
                      Refusal{"Mark", "\xef\xbb\xbf{}", "FI001", "byte order"},
                      Refusal{"Utf16", std::string("\xff\xfe{\0}\0", 6), "FI001", "UTF-16"},
                      Refusal{"Cut", "{\"a\": [1,\n2", "FI001", "cut off?), at line 2, column 2"},
                      Refusal{"LastBrace", "{\"a\": 1", "FI001", "cut off"},
                      Refusal{"Trailing", "{} x", "FI001", "behind the end of its JSON, at line 1, column 4"},
                      Refusal{"TrailingZero", std::string("{}\0x", 4), "FI001", "behind the end"},
                      Refusal{"Comma", "[1,,2]", "FI001", "line 1, column 4"},
                      Refusal{"Huge", "[1e999]", "FI001", "too big"},
                      Refusal{"Latin1", "{\"a\": \"\xe9\"}", "FI001", "encoding"},
                      Refusal{"Deep", std::string(20000, '['), "FI002", "nested more than 64 deep"}),
    [](const auto& info) { return info.param.name; });

TEST(JsonDocument, ValuesAreCounted) {
  const absl::Status status = JsonDocument::Parse("[1,2,3]", {.max_values = 3}).status();
  EXPECT_EQ(ErrorCode(status), "FI002");
  EXPECT_TRUE(JsonDocument::Parse("[1,2]", {.max_values = 3}).ok());
}

}  // namespace
}  // namespace quantgate
