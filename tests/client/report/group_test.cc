#include "client/report/group.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/report/verdict.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quantgate {
namespace {

using testing::ElementsAre;

v1::Finding MakeFinding(int node, v1::Finding::Severity severity = v1::Finding::ERROR,
                        const std::string& code = "NR001") {
  v1::Finding finding;
  finding.set_code(code);
  finding.set_severity(severity);
  finding.set_effect(severity == v1::Finding::ERROR ? v1::Finding::UNSOUND : v1::Finding::FALLBACK);
  finding.mutable_location()->set_node(absl::StrCat("layer.", node));
  finding.set_observed(absl::StrCat("scale ", node));
  finding.set_allowed("positive");
  finding.mutable_source()->set_row("Conv2d/INT8/row 1");
  return finding;
}

v1::Report TwoTargets() {
  v1::Report report;
  report.set_mode(v1::Report::STRICT);
  report.add_results()->set_target("a");
  report.add_results()->set_target("b");
  return report;
}

TEST(GroupFindings, PlacesThatShareACauseAreOneGroup) {
  v1::Report report;
  v1::Result& result = *report.add_results();
  for (int i = 0; i < 96; ++i) *result.add_findings() = MakeFinding(i);
  const auto groups = GroupFindings(report);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].findings.size(), 96u);
  EXPECT_EQ(groups[0].findings[95]->location().node(), "layer.95");
}

// Each change makes another cause of it.
class OtherCauseTest : public testing::TestWithParam<std::function<void(v1::Finding&)>> {};
TEST_P(OtherCauseTest, IsAnotherGroup) {
  v1::Report report;
  v1::Result& result = *report.add_results();
  *result.add_findings() = MakeFinding(0);
  *result.add_findings() = MakeFinding(1);
  ASSERT_EQ(GroupFindings(report).size(), 1u);
  GetParam()(*result.mutable_findings(1));
  EXPECT_EQ(GroupFindings(report).size(), 2u);
}
INSTANTIATE_TEST_SUITE_P(Fields, OtherCauseTest,
                         testing::Values([](v1::Finding& f) { f.set_code("NR002"); },
                                         [](v1::Finding& f) { f.set_allowed("below 1e6"); },
                                         [](v1::Finding& f) { f.set_observed("zero point 3"); },
                                         [](v1::Finding& f) { f.set_severity(v1::Finding::WARNING); },
                                         [](v1::Finding& f) { f.set_effect(v1::Finding::REFUSED); },
                                         [](v1::Finding& f) { f.mutable_source()->set_table("qnn_htp@2.13.0"); },
                                         [](v1::Finding& f) { f.set_fix("something else"); }));

// The table states it for each operator.
TEST(GroupFindings, OneStatementOfManyOperatorsIsOneCause) {
  v1::Report report;
  v1::Result& result = *report.add_results();
  *result.add_findings() = MakeFinding(0);
  *result.add_findings() = MakeFinding(1);
  result.mutable_findings(1)->mutable_source()->set_row("FullyConnected/INT8/row 1");
  EXPECT_EQ(GroupFindings(report).size(), 1u);
  // Not when it is about numbers: those are of the operator.
  result.mutable_findings(0)->set_allowed("rank at most 4");
  result.mutable_findings(1)->set_allowed("rank at most 5");
  EXPECT_EQ(GroupFindings(report).size(), 2u);
  result.mutable_findings(1)->mutable_source()->set_row("Conv2d/INT8/row 1");
  EXPECT_EQ(GroupFindings(report).size(), 1u);
}

TEST(GroupFindings, NamesOfTheirOwnPlacesAreNoDifference) {
  v1::Report report;
  v1::Result& result = *report.add_results();
  for (const char* value : {"sigmoid", "sigmoid_1"}) {
    v1::Finding& finding = *result.add_findings();
    finding = MakeFinding(0);
    finding.mutable_location()->set_value(value);
    finding.set_allowed(absl::StrCat("as node '", value, "' writes it"));
  }
  EXPECT_EQ(GroupFindings(report).size(), 1u);
  result.mutable_findings(1)->set_allowed("as node 'tanh' writes it");
  EXPECT_EQ(GroupFindings(report).size(), 2u);
}

TEST(GroupFindings, ErrorsComeBeforeWarningsBeforeNotes) {
  v1::Report report;
  v1::Result& result = *report.add_results();
  *result.add_findings() = MakeFinding(0, v1::Finding::INFO, "AA001");
  *result.add_findings() = MakeFinding(1, v1::Finding::WARNING, "BB001");
  *result.add_findings() = MakeFinding(2, v1::Finding::ERROR, "ZZ001");
  *result.add_findings() = MakeFinding(3, v1::Finding::ERROR, "YY001");
  std::vector<std::string> codes;
  for (const FindingGroup& group : GroupFindings(report)) codes.push_back(group.findings[0]->code());
  EXPECT_THAT(codes, ElementsAre("YY001", "ZZ001", "BB001", "AA001"));
}

TEST(GroupFindings, WhatTargetsShareIsOneGroupWithBoth) {
  v1::Report report = TwoTargets();
  for (v1::Result& result : *report.mutable_results()) *result.add_findings() = MakeFinding(0);
  report.mutable_results(1)->mutable_findings(0)->set_correction("c7");  // an id within the result, no difference
  const auto groups = GroupFindings(report);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].findings.size(), 1u);
  EXPECT_THAT(groups[0].targets, ElementsAre(0, 1));
}

TEST(GroupFindings, WhatOneTargetReportsStaysApart) {
  v1::Report report = TwoTargets();
  *report.mutable_results(0)->add_findings() = MakeFinding(0);
  *report.mutable_results(0)->add_findings() = MakeFinding(1);
  *report.mutable_results(1)->add_findings() = MakeFinding(1);
  const auto groups = GroupFindings(report);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].targets, ElementsAre(0));
  EXPECT_THAT(groups[1].targets, ElementsAre(0, 1));
}

TEST(GroupFindings, TheSameFindingTwiceInOneResultIsOnePlace) {
  v1::Report report = TwoTargets();
  *report.mutable_results(0)->add_findings() = MakeFinding(0);
  *report.mutable_results(0)->add_findings() = MakeFinding(0);
  const auto groups = GroupFindings(report);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].findings.size(), 1u);
  EXPECT_THAT(groups[0].targets, ElementsAre(0));
}

TEST(GroupNotChecked, ByReasonWhateverTheRule) {
  v1::Report report;
  v1::Result& result = *report.add_results();
  for (int i = 0; i < 5; ++i) {
    v1::NotChecked& entry = *result.add_not_checked();
    entry.set_rule(i < 4 ? "QS004" : "NR001");
    entry.set_node(absl::StrCat("n", i));
    entry.set_reason(i < 3 ? "no qparams yet" : "rank unknown");
  }
  const auto groups = GroupNotChecked(report);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].entries.size(), 3u);
  EXPECT_EQ(groups[1].entries.size(), 2u);
}

struct ExitCase {
  v1::Report::Mode mode;
  std::vector<v1::Result::Verdict> verdicts;
  int exit_code;
};
class ExitCodeTest : public testing::TestWithParam<ExitCase> {};
TEST_P(ExitCodeTest, FollowsTheVerdicts) {
  v1::Report report;
  report.set_mode(GetParam().mode);
  for (const auto verdict : GetParam().verdicts) report.add_results()->set_verdict(verdict);
  EXPECT_EQ(ExitCodeFor(report), GetParam().exit_code);
}
using V = v1::Result;
INSTANTIATE_TEST_SUITE_P(Verdicts, ExitCodeTest,
                         testing::Values(ExitCase{v1::Report::STRICT, {V::ACCEPTED}, 0},
                                         ExitCase{v1::Report::STRICT, {V::ACCEPTED_WITH_WARNINGS, V::ACCEPTED}, 0},
                                         ExitCase{v1::Report::STRICT, {V::ACCEPTED, V::REJECTED}, 1},
                                         ExitCase{v1::Report::STRICT, {V::UNKNOWN}, 1},
                                         ExitCase{v1::Report::STRICT, {}, 1},
                                         ExitCase{v1::Report::STRICT, {V::VERDICT_UNSPECIFIED}, 1},
                                         ExitCase{v1::Report::MODE_UNSPECIFIED, {V::REJECTED}, 1},
                                         ExitCase{v1::Report::WARN, {V::REJECTED, V::UNKNOWN}, 0}));

TEST(EffectFromName, KnowsTheContractsNames) {
  EXPECT_EQ(*EffectFromName("wrong_numbers"), v1::Finding::WRONG_NUMBERS);
  EXPECT_EQ(*EffectFromName("FALLBACK"), v1::Finding::FALLBACK);
  for (const char* bad : {"", "fallbacks", "effect_unspecified"}) {
    EXPECT_EQ(EffectFromName(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace quantgate
