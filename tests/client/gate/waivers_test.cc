#include "client/gate/waivers.h"

#include <string>

#include "client/gate/glob.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/gate/reports.h"

namespace quantgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kWaiver[] = R"(waivers:
  - rule: minimum-arch
    model: "vision/*.onnx"
    node: [layer.0.*, head]
    targets: qnn_htp/SM8350
    reason: "served by the 8-bit model"
    expires: 2027-01-31
severities:
  CV: info
  dt105: warning
)";

TEST(Waivers, AreReadWhole) {
  const absl::StatusOr<Waivers> waivers = ParseWaivers("w.yaml", kWaiver);
  ASSERT_TRUE(waivers.ok()) << waivers.status();
  ASSERT_EQ(waivers->entries.size(), 1);
  const WaiverEntry& entry = waivers->entries[0];
  EXPECT_THAT(entry.rules, ElementsAre("DT105"));
  EXPECT_THAT(entry.models, ElementsAre("vision/*.onnx"));
  EXPECT_THAT(entry.nodes, ElementsAre("layer.0.*", "head"));
  EXPECT_THAT(entry.targets, ElementsAre("qnn_htp/SM8350"));
  EXPECT_EQ(entry.reason, "served by the 8-bit model");
  EXPECT_EQ(entry.expires, "2027-01-31");
  EXPECT_EQ(absl::FormatTime(entry.valid_until, absl::UTCTimeZone()), "2027-02-01T00:00:00+00:00");
  EXPECT_EQ(entry.line, 2);
  EXPECT_EQ(waivers->SeverityOf("CV002"), v1::Finding::INFO);
  EXPECT_EQ(waivers->SeverityOf("DT105"), v1::Finding::WARNING);
  EXPECT_EQ(waivers->SeverityOf("DT101"), v1::Finding::SEVERITY_UNSPECIFIED);
}

TEST(Waivers, NothingIsNothing) {
  for (const char* text : {"", "# only a remark\n", "waivers:\n", "waivers: []\nseverities: {}\n", "---\n"}) {
    const absl::StatusOr<Waivers> waivers = ParseWaivers("w.yaml", text);
    ASSERT_TRUE(waivers.ok()) << text << waivers.status();
    EXPECT_TRUE(waivers->entries.empty());
  }
}

TEST(Waivers, MatchByCodeNameAndFamily) {
  const v1::Finding finding = LayerFinding({"layer.0.conv", "w"});
  for (const auto& [rule, matches] :
       {std::pair("DT105", true), std::pair("dt105", true), std::pair("minimum-arch", true), std::pair("DT", true),
        std::pair("DT101", false), std::pair("CV", false)}) {
    const absl::StatusOr<Waivers> waivers =
        ParseWaivers("w", absl::StrCat("waivers: [{rule: ", rule, ", reason: r, expires: 2030-01-01}]"));
    ASSERT_TRUE(waivers.ok()) << waivers.status();
    EXPECT_EQ(waivers->entries[0].Matches(finding), matches) << rule;
  }
}

TEST(Waivers, ATensorAloneGoesByItsName) {
  const absl::StatusOr<Waivers> waivers =
      ParseWaivers("w", "waivers: [{rule: DT105, node: 'w*', reason: r, expires: 2030-01-01}]");
  ASSERT_TRUE(waivers.ok()) << waivers.status();
  EXPECT_TRUE(waivers->entries[0].Matches(LayerFinding({"", "w1"})));
  EXPECT_FALSE(waivers->entries[0].Matches(LayerFinding({"conv", "w1"})));
}

struct Malformed {
  const char* text;
  const char* message;
};

class MalformedWaivers : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedWaivers, NamesLineAndColumn) {
  const absl::StatusOr<Waivers> waivers = ParseWaivers("w.yaml", GetParam().text);
  EXPECT_EQ(waivers.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(waivers.status().message()),
              HasSubstr(absl::StrCat("waivers file w.yaml: ", GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Files, MalformedWaivers,
    testing::Values(
        Malformed{"waivers: [", "line 1, column"}, Malformed{"- rule: DT105\n", "line 1, column 1: must be a map"},
        Malformed{"waiver:\n", "line 1, column 1: unknown key 'waiver'; did you mean waivers"},
        Malformed{"waivers: {}\n", "line 1, column 10: 'waivers' must be a list"},
        Malformed{"waivers:\n  - DT105\n", "line 2, column 5: a waiver must be a map"},
        Malformed{"waivers:\n  - rule: DT999\n    reason: r\n    expires: 2030-01-01\n",
                  "line 2, column 11: no rule has the code, name or family 'DT999'"},
        Malformed{"waivers:\n  - rule: '*'\n    reason: r\n    expires: 2030-01-01\n", "line 2, column 11: no rule"},
        Malformed{"waivers:\n  - reason: r\n    expires: 2030-01-01\n", "line 2, column 5: a waiver needs a 'rule'"},
        Malformed{"waivers:\n  - rule: DT105\n    expires: 2030-01-01\n",
                  "line 2, column 5: a waiver needs a 'reason'"},
        Malformed{"waivers:\n  - rule: DT105\n    reason: ' '\n    expires: 2030-01-01\n",
                  "line 2, column 5: a waiver needs a 'reason'"},
        Malformed{"waivers:\n  - rule: DT105\n    reason: r\n", "line 2, column 5: a waiver needs a date"},
        Malformed{"waivers:\n  - rule: DT105\n    reason: r\n    expires: 2030-02-30\n",
                  "line 4, column 14: '2030-02-30' is no date"},
        Malformed{"waivers:\n  - rule: DT105\n    reason: r\n    expires: 2030-2-3\n",
                  "line 4, column 14: '2030-2-3' is no date"},
        Malformed{"waivers:\n  - rule: DT105\n    reason: r\n    expires: 31.01.2030\n", "line 4, column 14:"},
        Malformed{"waivers:\n  - rule: DT105\n    reason: r\n    expires: 2030-01-01T00:00:00\n", "line 4, column 14:"},
        Malformed{"waivers:\n  - rule: DT105\n    rule: DT101\n", "line 3, column 5: 'rule' is set twice"},
        Malformed{"waivers:\n  - rule: DT105\n    node: {a: b}\n", "line 3, column 11: 'node' takes a word or a list"},
        Malformed{"waivers:\n  - rule: DT105\n    node: [[a]]\n", "line 3, column 12: 'node' takes words"},
        Malformed{"waivers:\n  - rule: DT105\n    reason: [r]\n", "line 3, column 13: 'reason' takes one value"},
        Malformed{"severities: {DT105: fatal}\n", "line 1, column 21: 'fatal' is no severity"},
        Malformed{"severities: {DT105: info, minimum-arch: error}\n", "line 1, column 27: 'minimum-arch' is set twice"},
        Malformed{"waivers:\n---\nwaivers:\n", "line 3, column 1: a second document"},
        Malformed{"waivers:\n# \xff\n", "line 2, column 3: is not UTF-8"}));

TEST(Glob, StarsAndQuestionMarks) {
  EXPECT_TRUE(GlobMatches("layer.*.conv", "layer.0.block.conv"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("a?c", "abc"));
  EXPECT_FALSE(GlobMatches("a?c", "ac"));
  EXPECT_FALSE(GlobMatches("layer", "layers"));
  EXPECT_TRUE(GlobMatches("layer[0]", "layer[0]"));  // no classes: names have brackets
  EXPECT_FALSE(GlobMatches("layer[0]", "layer0"));
  // Many stars against a long name that almost matches.
  const std::string name(100'000, 'a');
  EXPECT_FALSE(GlobMatches("*a*a*a*a*a*a*a*a*b", name));
}

TEST(Glob, PathsFromAnyFolderOn) {
  EXPECT_TRUE(PathMatches("*.onnx", "/ci/vision/a.onnx"));
  EXPECT_TRUE(PathMatches("vision/*.onnx", "/ci/vision/a.onnx"));
  EXPECT_TRUE(PathMatches("a.onnx", "./a.onnx"));
  EXPECT_TRUE(PathMatches("./a.onnx", "a.onnx"));
  EXPECT_TRUE(PathMatches("./vision//../vision/*.onnx", "/ci/./vision/a.onnx"));
  EXPECT_FALSE(PathMatches("./a.onnx", "b.onnx"));
  EXPECT_FALSE(PathMatches("ision/a.onnx", "/ci/vision/a.onnx"));
}

TEST(Glob, TargetsWithOrWithoutVersion) {
  const char* target = "qnn_htp/SM8350@2.25.0";
  for (const char* pattern :
       {"qnn_htp/SM8350@2.25.0", "qnn_htp/SM8350@2.25", "qnn_htp/SM8350", "qnn_htp", "qnn_htp/*", "qnn_htp/SM83?0"}) {
    EXPECT_TRUE(TargetMatches(pattern, target)) << pattern;
  }
  for (const char* pattern : {"qnn_htp/SM8350@2.2", "qnn_htp/SM835", "qnn", "SM8350", "xnnpack"}) {
    EXPECT_FALSE(TargetMatches(pattern, target)) << pattern;
  }
  EXPECT_TRUE(TargetMatches("any", "any"));
}

}  // namespace
}  // namespace quantgate
