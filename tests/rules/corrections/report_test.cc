// Several targets in one report, with targets made for the test.
#include "rules/corrections/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/rules/corrections/annotated.h"

namespace quantgate {
namespace {

using ::quantgate::testing::Annotated;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Refuses the linear layer unless the edge from x has that type.
void JudgeLinear(const v1::Graph& graph, const std::string& target, v1::DataType wanted, v1::Result& result) {
  result.set_target(target);
  const v1::DataType found = graph.specs(graph.nodes(0).input_specs(0) - 1).dtype();
  if (found == wanted) return;
  v1::Finding& finding = *result.add_findings();
  finding.set_code("DT101");
  finding.set_severity(v1::Finding::ERROR);
  finding.set_effect(v1::Finding::REFUSED);
  finding.mutable_location()->set_node("fc");
  finding.mutable_location()->set_input(0);
  finding.set_message(target + " takes " + v1::DataType_Name(wanted));
}

v1::Report Correct(const v1::Graph& message, const std::vector<std::pair<std::string, v1::DataType>>& targets,
                   const CorrectionLimits& limits = {}) {
  const Graph graph = Graph::Build(message).value();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  const CheckContext context(graph, resolved);
  ReportTask task{context, nullptr, {}, limits};
  task.check = [&](const v1::Graph& changed, absl::Span<const std::string> asked, v1::Report& report) {
    for (const std::string& name : asked) {
      const auto target = absl::c_find_if(targets, [&](const auto& known) { return known.first == name; });
      JudgeLinear(changed, name, target->second, *report.add_results());
    }
    return absl::OkStatus();
  };
  v1::Report report;
  for (const auto& [name, wanted] : targets) {
    task.targets.emplace_back().name = name;
    JudgeLinear(message, name, wanted, *report.add_results());
  }
  EXPECT_TRUE(CorrectReport(task, report).ok());
  return report;
}

v1::Graph Linear() {
  Annotated b;
  b.FloatInput("x", {1, 8});
  b.Linear("x", "fc", b.A16(), b.W8());
  b.Output("fc");
  return b.graph;
}

TEST(SeveralTargets, ThatExcludeEachOtherAreNamedWithTheReason) {
  const v1::Report report =
      Correct(Linear(), {{"a", v1::DATA_TYPE_INT8}, {"b", v1::DATA_TYPE_UINT8}, {"c", v1::DATA_TYPE_INT8}});
  for (const v1::Result& result : report.results()) EXPECT_EQ(result.corrections_size(), 1) << result.target();
  const v1::CommonCorrections& common = report.common_corrections();
  EXPECT_THAT(common.targets(), ElementsAre("a", "c"));
  EXPECT_TRUE(common.proven());
  ASSERT_EQ(common.changes_size(), 1);
  EXPECT_EQ(common.changes(0).after().dtype(), v1::DATA_TYPE_INT8);
  ASSERT_EQ(common.conflicts_size(), 1);
  EXPECT_THAT(common.conflicts(0).targets(), ElementsAre("a", "b"));
  EXPECT_EQ(common.conflicts(0).location().node(), "fc");
  EXPECT_THAT(common.conflicts(0).reason(), StartsWith("what the others need brings DT101 on "));
}

// The search for two has half the checks of that for one.
TEST(SeveralTargets, WhatOneNeedsByItselfIsTriedForAll) {
  CorrectionLimits limits;
  const std::vector<std::pair<std::string, v1::DataType>> targets = {{"a", v1::DATA_TYPE_INT8},
                                                                     {"b", v1::DATA_TYPE_INT8}};
  for (limits.max_judged_nodes = 1; limits.max_judged_nodes < 200; ++limits.max_judged_nodes) {
    const v1::Report report = Correct(Linear(), targets, limits);
    if (report.results(0).corrections().empty()) continue;
    EXPECT_THAT(report.common_corrections().targets(), ElementsAre("a", "b"));
    EXPECT_TRUE(report.common_corrections().proven());
    EXPECT_THAT(report.common_corrections().conflicts(), IsEmpty());
    return;
  }
  FAIL() << "no correction at all";
}

TEST(SeveralTargets, ASearchThatEndedEarlySaysSo) {
  CorrectionLimits limits;
  const std::vector<std::pair<std::string, v1::DataType>> targets = {{"a", v1::DATA_TYPE_INT8},
                                                                     {"b", v1::DATA_TYPE_UINT8}};
  for (limits.max_judged_nodes = 1; limits.max_judged_nodes < 200; ++limits.max_judged_nodes) {
    const v1::Report report = Correct(Linear(), targets, limits);
    if (report.results(0).corrections().empty() || report.results(1).corrections().empty()) continue;
    ASSERT_EQ(report.common_corrections().conflicts_size(), 1);
    EXPECT_THAT(report.common_corrections().conflicts(0).reason(), HasSubstr("the search ended at a limit"));
    return;
  }
  FAIL() << "no correction at all";
}

TEST(SeveralTargets, ThatWantTheSameHaveOnePlan) {
  const v1::Report report = Correct(Linear(), {{"a", v1::DATA_TYPE_INT8}, {"c", v1::DATA_TYPE_INT8}});
  EXPECT_THAT(report.common_corrections().targets(), ElementsAre("a", "c"));
  EXPECT_EQ(report.common_corrections().changes_size(), 1);
  EXPECT_EQ(report.common_corrections().conflicts_size(), 0);
}

}  // namespace
}  // namespace quantgate
