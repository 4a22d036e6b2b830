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

// A target made for a test, by what it says of the edge from x to the linear layer.
struct Made {
  std::string name;
  v1::DataType wanted;                                 // refuses others
  v1::DataType taken = v1::DATA_TYPE_UNSPECIFIED;      // takes this one too
  v1::DataType elsewhere = v1::DATA_TYPE_UNSPECIFIED;  // leaves the layer to another processor
  bool takes_floats = false;
  std::string unjudged;  // the reason, where nothing is known of it
  bool complete = true;  // false: by itself no corrections are looked for
};

void JudgeLinear(const v1::Graph& graph, const Made& target, v1::Result& result) {
  result.set_target(target.name);
  result.set_unjudged_reason(target.unjudged);
  const int32_t spec = graph.nodes(0).input_specs(0);
  const v1::DataType found = spec == 0 ? v1::DATA_TYPE_FLOAT32 : graph.specs(spec - 1).dtype();
  if (!target.unjudged.empty() || (found == v1::DATA_TYPE_FLOAT32 && target.takes_floats)) return;
  if (found == target.wanted || found == target.taken) return;
  v1::Finding& finding = *result.add_findings();
  const bool elsewhere = found == target.elsewhere;
  finding.set_code("DT101");
  finding.set_severity(elsewhere ? v1::Finding::WARNING : v1::Finding::ERROR);
  finding.set_effect(elsewhere ? v1::Finding::FALLBACK : v1::Finding::REFUSED);
  finding.mutable_location()->set_node("fc");
  finding.mutable_location()->set_input(0);
  finding.set_message(target.name + " takes " + v1::DataType_Name(target.wanted));
}

// Any type for x, floats as well.
std::vector<AcceptedTypes> TakesFloats(const ResolvedOp&) {
  AcceptedTypes row;
  row.ports.push_back({.argument = 0, .value = 0, .types = {{v1::DATA_TYPE_FLOAT32, false}}});
  for (const v1::DataType type : {v1::DATA_TYPE_INT8, v1::DATA_TYPE_UINT8, v1::DATA_TYPE_INT16, v1::DATA_TYPE_UINT16}) {
    row.ports[0].types.push_back({type, true});
  }
  return {row};
}

v1::Report Correct(const v1::Graph& message, const std::vector<Made>& targets, const CorrectionLimits& limits = {}) {
  const Graph graph = Graph::Build(message).value();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(graph);
  const CheckContext context(graph, resolved);
  ReportTask task{context, nullptr, {}, limits};
  task.check = [&](const v1::Graph& changed, absl::Span<const std::string> asked, v1::Report& report) {
    for (const std::string& name : asked) {
      const auto target = absl::c_find_if(targets, [&](const Made& known) { return known.name == name; });
      JudgeLinear(changed, *target, *report.add_results());
    }
    return absl::OkStatus();
  };
  v1::Report report;
  for (const Made& target : targets) {
    ReportTask::OneTarget& asked = task.targets.emplace_back();
    asked.name = target.name;
    asked.complete = target.complete;
    if (target.takes_floats) asked.accepted = TakesFloats;
    JudgeLinear(message, target, *report.add_results());
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

// With just enough checks for each target by itself: a search for two has half of them.
v1::Report CorrectNarrowly(const std::vector<Made>& targets) {
  const auto is_corrected = [](const v1::Result& result) {
    return result.findings().empty() || !result.corrections().empty();
  };
  CorrectionLimits limits;
  v1::Report report;
  for (limits.max_judged_nodes = 1; limits.max_judged_nodes < 200; ++limits.max_judged_nodes) {
    report = Correct(Linear(), targets, limits);
    if (absl::c_all_of(report.results(), is_corrected)) return report;
  }
  ADD_FAILURE() << "no correction at all";
  return report;
}

TEST(SeveralTargets, WhatOneNeedsByItselfIsTriedForAll) {
  const v1::CommonCorrections common =
      CorrectNarrowly({{"a", v1::DATA_TYPE_INT8}, {"b", v1::DATA_TYPE_INT8}}).common_corrections();
  EXPECT_THAT(common.targets(), ElementsAre("a", "b"));
  EXPECT_TRUE(common.proven());
  EXPECT_THAT(common.conflicts(), IsEmpty());
}

TEST(SeveralTargets, ASearchThatEndedEarlySaysSo) {
  const v1::CommonCorrections common =
      CorrectNarrowly({{"a", v1::DATA_TYPE_INT8}, {"b", v1::DATA_TYPE_UINT8}}).common_corrections();
  ASSERT_EQ(common.conflicts_size(), 1);
  EXPECT_THAT(common.conflicts(0).reason(), HasSubstr("the search ended at a limit"));
}

// What the graph has suits b; what a needs takes the layer away from it, which b accepts with a warning.
TEST(SeveralTargets, WhatRunsElsewhereOnOneExcludesNone) {
  const v1::DataType has = Linear().specs(Linear().nodes(0).input_specs(0) - 1).dtype();
  Made b = {.name = "b", .wanted = has, .elsewhere = v1::DATA_TYPE_INT8};
  const v1::CommonCorrections common = Correct(Linear(), {{"a", v1::DATA_TYPE_INT8}, b}).common_corrections();
  EXPECT_THAT(common.targets(), ElementsAre("a", "b"));
  EXPECT_THAT(common.conflicts(), IsEmpty());
  EXPECT_EQ(common.changes_size(), 1);
  EXPECT_TRUE(common.proven());
  b.elsewhere = v1::DATA_TYPE_UNSPECIFIED;
  const v1::CommonCorrections refused = Correct(Linear(), {{"a", v1::DATA_TYPE_INT8}, b}).common_corrections();
  EXPECT_EQ(refused.targets_size(), 1);
  EXPECT_EQ(refused.conflicts_size(), 1);
}

// What a needs first b leaves to another processor; what b needs suits both.
TEST(SeveralTargets, PreferWhatRunsOnAll) {
  const v1::CommonCorrections common =
      CorrectNarrowly({{.name = "a", .wanted = v1::DATA_TYPE_INT8, .taken = v1::DATA_TYPE_UINT8},
                       {.name = "b", .wanted = v1::DATA_TYPE_INT8, .elsewhere = v1::DATA_TYPE_UINT8}})
          .common_corrections();
  EXPECT_THAT(common.targets(), ElementsAre("a", "b"));
  ASSERT_EQ(common.changes_size(), 1);
  EXPECT_EQ(common.changes(0).after().dtype(), v1::DATA_TYPE_INT8);
}

// Nothing was looked for on c, which goes with neither of the two alone: what a needs suits it all the same.
TEST(SeveralTargets, OneThatWasLeftOutIsAskedAgain) {
  for (const v1::DataType wanted : {v1::DATA_TYPE_INT8, v1::DATA_TYPE_INT16}) {
    const v1::CommonCorrections common = Correct(Linear(), {{"a", v1::DATA_TYPE_INT8},
                                                            {"b", v1::DATA_TYPE_UINT8},
                                                            {.name = "c", .wanted = wanted, .complete = false}})
                                             .common_corrections();
    const bool suits = wanted == v1::DATA_TYPE_INT8;
    EXPECT_EQ(common.targets_size(), suits ? 2 : 1);
    ASSERT_EQ(common.conflicts_size(), suits ? 1 : 2);
    EXPECT_THAT(common.conflicts(0).reason(), StartsWith("what the others need brings DT101 on b"));
    if (suits) continue;
    EXPECT_THAT(common.conflicts(1).reason(), StartsWith("no change of specs removes DT101 on c"));
  }
}

// One computes the layer in integers, the other one elsewhere. Without specs neither has anything to say, and the
// integers are lost.
TEST(SeveralTargets, LeaveTheIntegersForAnErrorAlone) {
  const v1::DataType has = Linear().specs(Linear().nodes(0).input_specs(0) - 1).dtype();
  const Made a = {.name = "a", .wanted = has, .takes_floats = true};
  Made b = {.name = "b", .wanted = v1::DATA_TYPE_UINT8, .elsewhere = has, .takes_floats = true};
  const v1::Report report = Correct(Linear(), {a, b});
  EXPECT_EQ(report.results(1).corrections_size(), 1);
  EXPECT_THAT(report.common_corrections().targets(), ElementsAre("a", "b"));
  EXPECT_THAT(report.common_corrections().changes(), IsEmpty());
  b.elsewhere = v1::DATA_TYPE_UNSPECIFIED;
  const v1::CommonCorrections refused = Correct(Linear(), {a, b}).common_corrections();
  EXPECT_THAT(refused.targets(), ElementsAre("a", "b"));
  ASSERT_EQ(refused.changes_size(), 1);
  EXPECT_FALSE(refused.changes(0).has_after());
}

TEST(SeveralTargets, OneThatNothingIsKnownOfDoesNotPass) {
  const v1::CommonCorrections common =
      Correct(Linear(), {{"a", v1::DATA_TYPE_INT8}, {.name = "b", .unjudged = "no table"}}).common_corrections();
  EXPECT_THAT(common.targets(), ElementsAre("a"));
  EXPECT_EQ(common.changes_size(), 1);
  ASSERT_EQ(common.conflicts_size(), 1);
  EXPECT_THAT(common.conflicts(0).targets(), ElementsAre("b"));
  EXPECT_THAT(common.conflicts(0).reason(), HasSubstr("not known: no table"));
}

TEST(SeveralTargets, WithTooManyFaultsForASearchSaySo) {
  CorrectionLimits limits;
  limits.max_faults = 1;
  // One fault each, two together.
  const v1::Report report = Correct(Linear(), {{"a", v1::DATA_TYPE_INT8}, {"b", v1::DATA_TYPE_UINT8}}, limits);
  ASSERT_FALSE(report.common_corrections().conflicts().empty());
  EXPECT_THAT(report.common_corrections().conflicts(0).reason(), HasSubstr("the search ended at a limit"));
}

TEST(SeveralTargets, ThatWantTheSameHaveOnePlan) {
  const v1::Report report = Correct(Linear(), {{"a", v1::DATA_TYPE_INT8}, {"c", v1::DATA_TYPE_INT8}});
  EXPECT_THAT(report.common_corrections().targets(), ElementsAre("a", "c"));
  EXPECT_EQ(report.common_corrections().changes_size(), 1);
  EXPECT_EQ(report.common_corrections().conflicts_size(), 0);
}

}  // namespace
}  // namespace quantgate
