#include "client/gate/gate.h"

#include <string>
#include <vector>

#include "client/report/verdict.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/gate/reports.h"

namespace quantgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kOneWaiver[] = "waivers: [{rule: DT105, node: a, reason: known, expires: 2026-01-31}]";

absl::Time At(const std::string& text) {
  absl::Time time;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, nullptr)) << text;
  return time;
}

Gate GateOf(const std::string& waivers, absl::Time now) {
  Gate gate;
  absl::StatusOr<Waivers> parsed = ParseWaivers("w.yaml", waivers);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  gate.waivers = *std::move(parsed);
  gate.now = now;
  return gate;
}

std::vector<v1::Report> Applied(const Gate& gate, std::vector<v1::Report> reports) {
  gate.Apply(absl::MakeSpan(reports));
  return reports;
}

v1::Report Applied(const Gate& gate, const v1::Report& report) { return Applied(gate, std::vector{report})[0]; }

std::vector<std::string> Codes(const v1::Report& report) {
  std::vector<std::string> codes;
  for (const v1::Finding& finding : report.results(0).findings()) codes.push_back(finding.code());
  return codes;
}

TEST(Gate, AWaivedFindingStaysAndDoesNotReject) {
  const v1::Report report = Applied(GateOf(kOneWaiver, At("2026-01-01T00:00:00Z")), LayerReport("m", {{"a", "w"}}));
  EXPECT_THAT(Codes(report), ElementsAre("DT105"));
  EXPECT_EQ(report.results(0).findings(0).waiver().reason(), "known");
  EXPECT_EQ(report.results(0).findings(0).waiver().expires(), "2026-01-31");
  EXPECT_EQ(report.results(0).findings(0).severity(), v1::Finding::ERROR);
  EXPECT_EQ(ExitCodeFor(report), 0);
}

TEST(Gate, AWaiverHoldsToTheEndOfItsDayInUtc) {
  const v1::Report report = LayerReport("m", {{"a", "w"}});
  const v1::Report last = Applied(GateOf(kOneWaiver, At("2026-01-31T23:59:59.999999999Z")), report);
  EXPECT_EQ(ExitCodeFor(last), 0);
  EXPECT_THAT(Codes(last), ElementsAre("DT105"));
  const v1::Report after = Applied(GateOf(kOneWaiver, At("2026-02-01T00:00:00Z")), report);
  EXPECT_EQ(ExitCodeFor(after), 1);
  EXPECT_THAT(Codes(after), ElementsAre("DT105", "EN301"));
  EXPECT_FALSE(after.results(0).findings(0).has_waiver());
  EXPECT_EQ(after.results(0).findings(1).message(),
            "the waiver of DT105 expired on 2026-01-31 (known); it holds until the end of that day in UTC");
  EXPECT_EQ(after.results(0).findings(1).location().source_line(), "w.yaml:1");
  // The same moment, said elsewhere.
  EXPECT_EQ(ExitCodeFor(Applied(GateOf(kOneWaiver, At("2026-02-01T01:00:00+01:00")), report)), 1);
  EXPECT_EQ(ExitCodeFor(Applied(GateOf(kOneWaiver, At("2026-01-31T16:59:59-07:00")), report)), 0);
}

TEST(Gate, AnExpiredWaiverIsAFindingWhateverItMatches) {
  const v1::Report report = Applied(GateOf(kOneWaiver, At("2030-01-01T00:00:00Z")), LayerReport("m", {}));
  EXPECT_THAT(Codes(report), ElementsAre("EN301"));
  EXPECT_EQ(report.results(0).verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
}

TEST(Gate, AnUnusedWaiverIsAFindingOnce) {
  const Gate gate = GateOf(kOneWaiver, At("2026-01-01T00:00:00Z"));
  const std::vector<v1::Report> reports = Applied(gate, {LayerReport("m", {{"b", "w"}}), LayerReport("n", {})});
  EXPECT_THAT(Codes(reports[0]), ElementsAre("DT105", "EN302"));
  EXPECT_THAT(Codes(reports[1]), ElementsAre());
  EXPECT_EQ(reports[0].results(0).findings(1).message(),
            "the waiver of DT105 matches no finding; it is for any model, node a, any target");
}

TEST(Gate, AWaiverThatAnotherModelNeedsIsUsed) {
  const Gate gate = GateOf(kOneWaiver, At("2026-01-01T00:00:00Z"));
  const std::vector<v1::Report> reports = Applied(gate, {LayerReport("m", {}), LayerReport("n", {{"a", "w"}})});
  EXPECT_THAT(Codes(reports[0]), ElementsAre());
  EXPECT_THAT(Codes(reports[1]), ElementsAre("DT105"));
}

TEST(Gate, AWaiverOfAnotherRunIsCounted) {
  for (const char* scope : {"model: other.onnx", "targets: xnnpack"}) {
    const Gate gate = GateOf(absl::StrCat("waivers: [{rule: DT105, ", scope, ", reason: r, expires: 2026-01-31}]"),
                             At("2026-01-01T00:00:00Z"));
    const v1::Report report = Applied(gate, LayerReport("m.onnx", {{"a", "w"}}));
    EXPECT_THAT(Codes(report), ElementsAre("DT105", "EN303"));
    EXPECT_EQ(ExitCodeFor(report), 1);
    EXPECT_EQ(report.results(0).findings(1).severity(), v1::Finding::INFO);
    EXPECT_EQ(report.results(0).findings(1).message(),
              "1 waiver for other runs: line 1 names no model, or no target, of this run");
    const v1::Report clean = Applied(gate, LayerReport("m.onnx", {}));
    EXPECT_EQ(clean.results(0).verdict(), v1::Result::ACCEPTED);
  }
}

TEST(Gate, WaiversOfOtherRunsAreOneFinding) {
  std::string text = "waivers:\n";
  for (int i = 0; i < 23; ++i)
    absl::StrAppend(&text, "  - {rule: DT, model: m", i, ", reason: r, expires: 2030-01-01}\n");
  std::vector<v1::Report> reports =
      Applied(GateOf(text, At("2026-01-01T00:00:00Z")), {LayerReport("m22", {{"a", "w"}}), LayerReport("other", {})});
  ASSERT_THAT(Codes(reports[0]), ElementsAre("DT105", "EN303"));
  EXPECT_THAT(Codes(reports[1]), ElementsAre());
  EXPECT_EQ(reports[0].results(0).findings(1).message(),
            "22 waivers for other runs: lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
            "15, 16, 17, 18, 19, 20, 21 and 2 more name "
            "no model, or no target, of this run");
}

TEST(Gate, AWaiverForATargetThatIsNoneIsUnusedInEveryRun) {
  Gate gate = GateOf("waivers: [{rule: DT105, targets: [nobody/x, qnn_htp], reason: r, expires: 2026-01-31}]",
                     At("2026-01-01T00:00:00Z"));
  const v1::Report report = LayerReport("m.onnx", {{"a", "w"}});
  EXPECT_THAT(Codes(Applied(gate, report)), ElementsAre("DT105"));
  gate.waivers.entries[0].unknown_targets = {"nobody/x"};
  const v1::Report told = Applied(gate, report);
  ASSERT_THAT(Codes(told), ElementsAre("DT105", "EN302"));
  EXPECT_TRUE(told.results(0).findings(0).has_waiver());  // by the target that there is
  EXPECT_EQ(told.results(0).findings(1).message(),
            "the waiver of DT105 names 'nobody/x', which is no target; it is for any model, any node, target nobody/x "
            "or qnn_htp");
  gate.waivers.entries[0].targets = {"nobody/x"};
  EXPECT_THAT(Codes(Applied(gate, report)), ElementsAre("DT105", "EN302"));
}

TEST(Gate, AnExpiredWaiverOfAnotherRunIsAFinding) {
  for (const char* scope : {"model: other.onnx", "targets: xnnpack"}) {
    const Gate gate = GateOf(absl::StrCat("waivers: [{rule: DT105, ", scope, ", reason: r, expires: 2026-01-31}]"),
                             At("2026-02-01T00:00:00Z"));
    EXPECT_THAT(Codes(Applied(gate, LayerReport("m.onnx", {}))), ElementsAre("EN301"));
  }
}

TEST(Gate, NoWaiverIsAboutAnother) {
  const Gate gate =
      GateOf("waivers: [{rule: EN, reason: r, expires: 2030-01-01}, {rule: DT105, reason: r, expires: 2020-01-01}]",
             At("2026-01-01T00:00:00Z"));
  EXPECT_THAT(Codes(Applied(gate, LayerReport("m", {}))), ElementsAre("EN302", "EN301"));
}

TEST(Gate, SeveritiesAreTheTeams) {
  const absl::Time now = At("2026-01-01T00:00:00Z");
  const v1::Report report = LayerReport("m", {{"a", "w"}});
  EXPECT_EQ(Applied(GateOf("severities: {DT105: warning}", now), report).results(0).verdict(),
            v1::Result::ACCEPTED_WITH_WARNINGS);
  EXPECT_EQ(Applied(GateOf("severities: {DT: info}", now), report).results(0).verdict(), v1::Result::ACCEPTED);
  EXPECT_EQ(Applied(GateOf("severities: {DT: info, DT105: error}", now), report).results(0).verdict(),
            v1::Result::REJECTED);
  EXPECT_EQ(Applied(GateOf("severities: {EN302: error}\nwaivers: [{rule: CV, reason: r, expires: 2030-01-01}]", now),
                    LayerReport("m", {}))
                .results(0)
                .verdict(),
            v1::Result::REJECTED);
}

TEST(Gate, FailOnRaisesTheEffectsThatAreNamedAndNoOthers) {
  Gate gate;
  gate.fail_on = {v1::Finding::FALLBACK};
  v1::Report report = LayerReport("m", {{"a", "w"}, {"b", "w"}});
  report.mutable_results(0)->set_verdict(v1::Result::ACCEPTED_WITH_WARNINGS);
  for (v1::Finding& finding : *report.mutable_results(0)->mutable_findings()) {
    finding.set_effect(v1::Finding::PRECISION);
    finding.set_severity(v1::Finding::WARNING);
  }
  EXPECT_EQ(ExitCodeFor(Applied(gate, report)), 0);
  report.mutable_results(0)->mutable_findings(1)->set_effect(v1::Finding::FALLBACK);
  const v1::Report failed = Applied(gate, report);
  EXPECT_EQ(failed.results(0).verdict(), v1::Result::REJECTED);
  EXPECT_EQ(failed.results(0).findings(0).severity(), v1::Finding::WARNING);
  EXPECT_EQ(failed.results(0).findings(1).severity(), v1::Finding::ERROR);
  report.set_mode(v1::Report::WARN);
  EXPECT_EQ(Applied(gate, report).results(0).verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
}

TEST(Gate, OnlyWhatTheBaselineLacksFails) {
  Gate gate;
  gate.baseline = {LayerReport("m", {{"a", "w"}})};
  EXPECT_EQ(ExitCodeFor(Applied(gate, LayerReport("m", {{"a", "w"}}))), 0);
  const v1::Report worse = Applied(gate, LayerReport("m", {{"a", "w"}, {"b", "x", 1}}));
  EXPECT_EQ(ExitCodeFor(worse), 1);
  EXPECT_TRUE(worse.results(0).findings(0).in_baseline());
  EXPECT_FALSE(worse.results(0).findings(1).in_baseline());
}

// Nothing passes because it was not looked at.
TEST(Gate, WhatWasNotJudgedStaysUnknown) {
  v1::Report report = LayerReport("m", {{"a", "w"}});
  report.mutable_results(0)->set_unjudged_reason("3 of 9 nodes could not be judged");
  const v1::Report waived = Applied(GateOf(kOneWaiver, At("2026-01-01T00:00:00Z")), report);
  EXPECT_EQ(waived.results(0).verdict(), v1::Result::UNKNOWN);
  EXPECT_EQ(waived.results(0).verdict_reason(), "3 of 9 nodes could not be judged");
  // As an older server says it.
  report = LayerReport("m", {});
  report.mutable_results(0)->set_verdict(v1::Result::UNKNOWN);
  report.mutable_results(0)->set_verdict_reason("no table");
  EXPECT_EQ(Applied(GateOf("severities: {DT: info}", At("2026-01-01T00:00:00Z")), report).results(0).verdict(),
            v1::Result::UNKNOWN);
}

TEST(Gate, NobodyAnswersForWhatIsNotListed) {
  v1::Report report = LayerReport("m", {{"a", "w"}});
  report.mutable_results(0)->set_unlisted_findings(4);
  EXPECT_EQ(ExitCodeFor(Applied(GateOf(kOneWaiver, At("2026-01-01T00:00:00Z")), report)), 1);
}

TEST(Gate, FilesThatAreNotThere) {
  EXPECT_EQ(OpenGate("/nowhere/w.yaml", "", absl::Now()).status().code(), absl::StatusCode::kInvalidArgument);
  const absl::StatusOr<Gate> gate = OpenGate("", "/nowhere/b.json", absl::Now());
  EXPECT_EQ(gate.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(gate.status().message()), HasSubstr("baseline /nowhere/b.json"));
}

}  // namespace
}  // namespace quantgate
