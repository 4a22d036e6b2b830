#include "db/reports/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "db/reports/page_token.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db {
namespace {

using ::testing::HasSubstr;

TEST(ReportFilter, ParsesEveryFieldOfTheDocumentedExample) {
  auto conditions = ParseReportFilter(
      R"(model.path = "a.onnx" AND target = "qnn_htp/SM8650@2.25.0" AND verdict = REJECTED)"
      R"( AND create_time >= "2027-01-01T00:00:00Z" AND code!=NR001 AND graph_digest="ab" AND model.sha256 = cd)");
  ASSERT_TRUE(conditions.ok()) << conditions.status();
  ASSERT_EQ(conditions->size(), 7u);
  EXPECT_EQ((*conditions)[0], (Condition{Condition::kModelPath, Condition::kEqual, "a.onnx", 0}));
  EXPECT_EQ((*conditions)[1], (Condition{Condition::kTarget, Condition::kEqual, "qnn_htp/SM8650@2.25.0", 0}));
  EXPECT_EQ((*conditions)[2], (Condition{Condition::kVerdict, Condition::kEqual, "", v1::Result::REJECTED}));
  // date -u -d 2027-01-01 +%s
  EXPECT_EQ((*conditions)[3],
            (Condition{Condition::kCreateTime, Condition::kGreaterEqual, "", int64_t{1798761600} * 1'000'000'000}));
  EXPECT_EQ((*conditions)[4], (Condition{Condition::kCode, Condition::kNotEqual, "NR001", 0}));
  EXPECT_EQ((*conditions)[5], (Condition{Condition::kGraphDigest, Condition::kEqual, "ab", 0}));
  EXPECT_EQ((*conditions)[6], (Condition{Condition::kModelSha256, Condition::kEqual, "cd", 0}));
}

TEST(ReportFilter, EscapesAndBlanks) {
  EXPECT_TRUE(ParseReportFilter("")->empty());
  EXPECT_TRUE(ParseReportFilter(" \n\t ")->empty());
  auto conditions = ParseReportFilter(R"(  model.path="a \"b\" \\ c' OR 1=1 --" )");
  ASSERT_TRUE(conditions.ok()) << conditions.status();
  EXPECT_EQ((*conditions)[0].text, R"(a "b" \ c' OR 1=1 --)");
}

struct BadFilter {
  const char* filter;
  const char* message;
};

class BadFilters : public ::testing::TestWithParam<BadFilter> {};

TEST_P(BadFilters, NamePlaceAndReason) {
  auto conditions = ParseReportFilter(GetParam().filter);
  EXPECT_EQ(conditions.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(conditions.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFilters,
    ::testing::Values(BadFilter{"path = a", "filter: at character 1: unknown field 'path'"},
                      BadFilter{"= a", "at character 1: expected a field"},
                      BadFilter{"target", "at character 7: expected an operator after target"},
                      BadFilter{"target ~ a", "at character 8: expected an operator"},
                      BadFilter{"target =", "at character 9: expected a value"},
                      BadFilter{"target = (", "at character 10: expected a value"},
                      BadFilter{"target = \"a", "at character 10: the string has no closing quote"},
                      BadFilter{"target = \"a\\n\"", "only \\\" and \\\\ can be escaped"},
                      BadFilter{"target = \"a\\", "only \\\" and \\\\ can be escaped"},
                      BadFilter{"target < a", "operator < is for create_time only"},
                      BadFilter{"verdict = GREEN", "at character 11: unknown verdict 'GREEN'"},
                      BadFilter{"verdict = VERDICT_UNSPECIFIED", "unknown verdict"},
                      BadFilter{"create_time > yesterday", "'yesterday' is not a time"},
                      BadFilter{"target = a OR target = b", "at character 12: OR is not supported"},
                      BadFilter{"target = a target = b", "at character 12: expected AND or the end"},
                      BadFilter{"target = a (b)", "at character 12: expected AND or the end"},
                      BadFilter{"target = \"a\"(b)", "at character 13: expected AND or the end"},
                      BadFilter{"labels.branch = gr\xc3\xb6\xc3\x9f"
                                "e",
                                "at character 19: a value with this character needs double quotes"},
                      BadFilter{"target = \xc3\xb6", "expected a value: a word or a string in double quotes"},
                      BadFilter{"target = a AND", "at character 15: expected a field"}));

TEST(ReportFilter, TargetsAreRenamed) {
  const auto name_of = [](const std::string& target) -> std::optional<std::string> {
    if (target == "b/alias") return "b/Name";
    if (target == "b/quote") return "b/a\"b";
    return std::nullopt;
  };
  const auto renamed = [&](const char* filter) { return RenameTargets(filter, name_of); };
  EXPECT_EQ(renamed("verdict = REJECTED AND target = b/alias AND target != \"b/alias\" "),
            "verdict = REJECTED AND target = \"b/Name\" AND target != \"b/Name\" ");
  EXPECT_EQ(renamed("target=b/quote"), "target=\"b/a\\\"b\"");
  for (const char* same : {"", "target = b/other", "model.path = b/alias", "target = b/alias AND", "target = "}) {
    EXPECT_EQ(renamed(same), same);
  }
}

TEST(ReportFilter, IsBounded) {
  std::string many = "code = A";
  for (int i = 1; i < 16; ++i) many += " AND code = A";
  EXPECT_TRUE(ParseReportFilter(many).ok());
  EXPECT_THAT(std::string(ParseReportFilter(many + " AND code = A").status().message()),
              HasSubstr("more than 16 conditions"));
  EXPECT_TRUE(ParseReportFilter("code = " + std::string(2000, 'a')).ok());
  EXPECT_THAT(std::string(ParseReportFilter("code = " + std::string(2048, 'a')).status().message()),
              HasSubstr("longer than 2048 bytes"));
}

TEST(PageToken, IsTiedToItsQuery) {
  const std::string token = EncodePageToken("filter a", 1234567890123456789);
  EXPECT_EQ(DecodePageToken("filter a", token).value(), 1234567890123456789);
  EXPECT_THAT(std::string(DecodePageToken("filter b", token).status().message()), HasSubstr("other arguments"));
  EXPECT_FALSE(DecodePageToken("filter a", token.substr(0, token.size() - 2)).ok());  // cut off: not an earlier page
  EXPECT_FALSE(DecodePageToken("filter a", token + " ").ok());
  for (size_t i = 0; i < token.size(); ++i) {
    for (const char other : {'A', 'x', '0', '_'}) {
      std::string changed = token;
      changed[i] = other;
      EXPECT_EQ(DecodePageToken("filter a", changed).ok(), changed == token) << changed;
    }
  }
  for (const char* bad : {"", "x", "!!!!", "MTIz"}) {
    EXPECT_EQ(DecodePageToken("filter a", bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace quantgate::db
