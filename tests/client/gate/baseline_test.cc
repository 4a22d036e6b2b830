#include "client/gate/baseline.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/gate/gate.h"
#include "client/report/json.h"
#include "db/reports/fingerprint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/gate/reports.h"

namespace quantgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What `check --format json` writes of several models.
std::string AsArray(const std::vector<v1::Report>& reports) {
  std::vector<MatrixRow> rows;
  for (const v1::Report& report : reports) rows.push_back({report.model().path(), &report, ""});
  return *RowsToJson(rows);
}

std::vector<bool> Known(const v1::Report& baseline, v1::Report report) {
  MarkKnown({&baseline}, report);
  std::vector<bool> known;
  for (const v1::Finding& finding : report.results(0).findings()) known.push_back(finding.in_baseline());
  return known;
}

std::vector<bool> Known(const std::vector<Layer>& before, const std::vector<Layer>& now) {
  return Known(LayerReport("m", before), LayerReport("m", now));
}

TEST(Baseline, TheSameIsKnownAndNothingElse) {
  EXPECT_THAT(Known({{"a", "wa", 0}, {"b", "wb", 1}}, {{"a", "wa", 0}, {"b", "wb", 1}, {"c", "wc", 2}}),
              ElementsAre(true, true, false));
}

TEST(Baseline, SurvivesRenumberedNodesAndRenamedValues) {
  // Another operator went in front: names count on, positions among those of the operator stay.
  EXPECT_THAT(Known({{"Conv_2", "12", 0}, {"Conv_5", "15", 1}}, {{"Conv_4", "14", 0}, {"Conv_7", "17", 1}}),
              ElementsAre(true, true));
  // A node of the operator went in front: positions move, names of layers stay.
  EXPECT_THAT(Known({{"stem.conv", "t1", 0}}, {{"stem.conv", "t9", 1}}), ElementsAre(true));
  // As before, and nodes are counted; weights have names.
  EXPECT_THAT(Known({{"Conv_2", "stem.weight", 0}}, {{"Conv_3", "stem.weight", 1}}), ElementsAre(true));
  // Nodes without names.
  EXPECT_THAT(Known({{"#3", "w", 0}, {"#5", "x", 1}}, {{"#4", "p", 0}, {"#6", "q", 1}}), ElementsAre(true, true));
}

TEST(Baseline, OneMendedAndAnotherBrokenIsNew) {
  EXPECT_THAT(Known({{"layer.0.conv", "w0", 0}}, {{"layer.5.conv", "w5", 5}}), ElementsAre(false));
  // Names that are only counted say nothing: the node at that number may be another one.
  EXPECT_THAT(Known({{"#3", "12", 0}}, {{"#3", "12", 4}}), ElementsAre(false));
}

TEST(Baseline, WhatAgreesInMoreGoesFirst) {
  // The new one took the position of the old one.
  EXPECT_THAT(Known({{"b", "wb", 1}}, {{"new", "wnew", 1}, {"b", "wb", 2}}), ElementsAre(false, true));
}

// Of PT2E graphs they have been nodes since; before, they were values alone.
TEST(Baseline, InputsAndConstantsAreKnownWithAndWithoutANode) {
  v1::Report report = LayerReport("m", {{"", "ids", 0}, {"", "table", 1}});
  for (v1::Finding& finding : *report.mutable_results(0)->mutable_findings()) {
    finding.mutable_location()->clear_op();
    finding.mutable_location()->clear_input();
    finding.mutable_location()->clear_output();
  }
  v1::Report as_nodes = report;
  for (v1::Finding& finding : *as_nodes.mutable_results(0)->mutable_findings()) {
    finding.mutable_location()->set_node(finding.location().value());
  }
  as_nodes.mutable_results(0)->mutable_findings(0)->mutable_location()->set_op("placeholder");
  EXPECT_THAT(Known(report, as_nodes), ElementsAre(true, true));
  EXPECT_THAT(Known(as_nodes, report), ElementsAre(true, true));
  EXPECT_EQ(db::Fingerprints(report.results(0)), db::Fingerprints(as_nodes.results(0)));
}

TEST(Baseline, EachIsUsedOnce) {
  EXPECT_THAT(Known({{"a", "w", 0}}, {{"a", "w", 0}, {"a", "w", 0}}), ElementsAre(true, false));
}

TEST(Baseline, AnotherRuleEffectOrPortIsNew) {
  EXPECT_THAT(Known({{"a", "w", 0}}, {{"a", "w", 0, "DT101"}}), ElementsAre(false));
  v1::Report report = LayerReport("m", {{"a", "w", 0}});
  report.mutable_results(0)->mutable_findings(0)->mutable_location()->set_input(2);
  EXPECT_THAT(Known(LayerReport("m", {{"a", "w", 0}}), report), ElementsAre(false));
  report = LayerReport("m", {{"a", "w", 0}});
  report.mutable_results(0)->mutable_findings(0)->set_effect(v1::Finding::WRONG_NUMBERS);
  EXPECT_THAT(Known(LayerReport("m", {{"a", "w", 0}}), report), ElementsAre(false));
}

TEST(Baseline, WhatWasWaivedIsNotKnown) {
  v1::Report baseline = LayerReport("m", {{"a", "w", 0}});
  baseline.mutable_results(0)->mutable_findings(0)->mutable_waiver()->set_reason("r");
  EXPECT_THAT(Known(baseline, LayerReport("m", {{"a", "w", 0}})), ElementsAre(false));
}

TEST(Baseline, TargetsOfAnotherSdkAreTheSameAndOtherSocsAreNot) {
  const v1::Report now = LayerReport("m", {{"a", "w", 0}}, "qnn_htp/SM8350@2.51.0");
  EXPECT_THAT(Known(LayerReport("m", {{"a", "w", 0}}), now), ElementsAre(true));
  EXPECT_THAT(Known(LayerReport("m", {{"a", "w", 0}}, "qnn_htp/SM8450@2.51.0"), now), ElementsAre(false));
}

TEST(Baseline, WhatIsSaidOfTheWholeGraphIsKnown) {
  v1::Report report = LayerReport("m", {{"", "", 0}});
  report.mutable_results(0)->mutable_findings(0)->clear_location();
  EXPECT_THAT(Known(report, report), ElementsAre(true));
}

TEST(Baseline, ModelsGoByPathThenByName) {
  using Found = std::vector<std::vector<const v1::Report*>>;
  const auto reports = [](const std::vector<std::string>& models) {
    std::vector<v1::Report> list;
    for (const std::string& model : models) list.push_back(LayerReport(model, {}));
    return list;
  };
  const std::vector<v1::Report> several = reports({"x/a.onnx", "y/b.onnx", "z/b.onnx"});
  const Found a = {{&several[0]}}, b = {{&several[2]}}, none = {{}};
  EXPECT_EQ(BaselinesOf(several, reports({"./x/a.onnx"})), a);
  EXPECT_EQ(BaselinesOf(several, reports({"/ci/a.onnx"})), a);
  EXPECT_EQ(BaselinesOf(several, reports({"z/b.onnx"})), b);
  EXPECT_EQ(BaselinesOf(several, reports({"/ci/b.onnx"})), none);  // which one?
  EXPECT_EQ(BaselinesOf(several, reports({"c.onnx"})), none);
  // A new model with the file name of one that is there is another model.
  EXPECT_EQ(BaselinesOf(several, reports({"x/a.onnx", "new/a.onnx"})), (Found{{&several[0]}, {}}));
  EXPECT_EQ(BaselinesOf(several, reports({"old/a.onnx", "new/a.onnx"})), (Found{{}, {}}));  // which one?
}

TEST(Baseline, TheOnlyModelMayHaveAnotherNameButNotAnotherSize) {
  const std::vector<v1::Report> one = {LayerReport("a.onnx", {})};
  std::vector<v1::Report> asked = {LayerReport("renamed.onnx", {})};
  EXPECT_THAT(BaselinesOf(one, asked), ElementsAre(ElementsAre(&one[0])));
  asked[0].mutable_results(0)->mutable_coverage()->set_nodes(10);
  EXPECT_THAT(BaselinesOf(one, asked), ElementsAre(ElementsAre()));
  // One that is there was not renamed.
  const std::string here = ::testing::TempDir() + "/gate_baseline_still_here.onnx";
  std::ofstream(here) << "a model";
  const std::vector<v1::Report> still_here = {LayerReport(here, {})};
  EXPECT_THAT(BaselinesOf(still_here, {LayerReport("new.onnx", {})}), ElementsAre(ElementsAre()));
  std::filesystem::remove(here);
  EXPECT_THAT(BaselinesOf(still_here, {LayerReport("new.onnx", {})}), ElementsAre(ElementsAre(&still_here[0])));
  asked = {LayerReport("other.onnx", {}), LayerReport("third.onnx", {})};
  EXPECT_THAT(BaselinesOf(one, asked), ElementsAre(ElementsAre(), ElementsAre()));
}

// A file for as long as a test needs it.
struct ModelFile {
  explicit ModelFile(const std::string& name) : path(std::filesystem::path(::testing::TempDir()) / name) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "a model";
  }
  ~ModelFile() { std::filesystem::remove(path); }
  const std::filesystem::path path;
};

TEST(Baseline, AModelThatIsStillThereSaysNothingOfItsNamesake) {
  const ModelFile vision("gate_baseline/vision/a.onnx"), nlp("gate_baseline/nlp/a.onnx");
  const std::vector<v1::Report> baseline = {LayerReport(vision.path, {{"a", "w", 0}})};
  std::vector<v1::Report> asked = {LayerReport(nlp.path, {{"a", "w", 0}})};
  EXPECT_THAT(BaselinesOf(baseline, asked), ElementsAre(ElementsAre()));
  asked[0].mutable_results(0)->mutable_coverage()->set_nodes(10);
  EXPECT_THAT(BaselinesOf(baseline, asked), ElementsAre(ElementsAre()));
  // Another way to the same file is the same model.
  const std::string other_way = std::filesystem::relative(vision.path).string();
  EXPECT_THAT(BaselinesOf(baseline, {LayerReport(other_way, {})}), ElementsAre(ElementsAre(&baseline[0])));
  std::filesystem::remove(vision.path);
  EXPECT_THAT(BaselinesOf(baseline, asked), ElementsAre(ElementsAre(&baseline[0]))) << "moved and changed";
}

TEST(Baseline, AModelThatMovedIsKnownByItsBytes) {
  const auto with_bytes = [](const std::string& path, const std::string& sha256) {
    v1::Report report = LayerReport(path, {});
    report.mutable_model()->set_sha256(sha256);
    return report;
  };
  const std::vector<v1::Report> baseline = {with_bytes("x/a.onnx", "1"), with_bytes("x/b.onnx", "2"),
                                            with_bytes("x/copy.onnx", "2")};
  using Found = std::vector<std::vector<const v1::Report*>>;
  const auto found = [&](const std::vector<v1::Report>& reports) { return BaselinesOf(baseline, reports); };
  EXPECT_EQ(found({with_bytes("y/renamed.onnx", "1"), with_bytes("y/other.onnx", "3")}), (Found{{&baseline[0]}, {}}));
  // Before the file name, after the path; each is taken once.
  EXPECT_EQ(found({with_bytes("y/b.onnx", "1")}), (Found{{&baseline[0]}}));
  EXPECT_EQ(found({with_bytes("x/b.onnx", "1")}), (Found{{&baseline[1]}}));
  EXPECT_EQ(found({with_bytes("x/a.onnx", "1"), with_bytes("y/copy of a.onnx", "1")}), (Found{{&baseline[0]}, {}}));
  EXPECT_EQ(found({with_bytes("1.onnx", "2"), with_bytes("2.onnx", "2"), with_bytes("3.onnx", "2")}),
            (Found{{&baseline[1]}, {&baseline[2]}, {}}));
  // What has no bytes is like nothing.
  const std::vector<v1::Report> without = {LayerReport("c.onnx", {}), LayerReport("d.onnx", {})};
  EXPECT_EQ(BaselinesOf(without, {LayerReport("e.onnx", {})}), (Found{{}}));
  // A copy of one that is there is another model.
  const ModelFile here("gate_baseline/bytes/here.onnx");
  const std::vector<v1::Report> original = {with_bytes(here.path, "1"), with_bytes("f.onnx", "2")};
  EXPECT_EQ(BaselinesOf(original, {with_bytes("y/copy.onnx", "1")}), (Found{{}}));
}

TEST(Baseline, OfSeveralReportsAboutOneModelTheLastWithTheTargetCounts) {
  const Layer conv = {"conv", "w", 0}, other = {"other", "x", 1};
  Gate gate;
  gate.baseline = {LayerReport("a.onnx", {conv}, "qnn_htp/SM8350@2.25.0"),
                   LayerReport("a.onnx", {conv}, "qnn_htp/SM8650@2.25.0")};
  const auto known = [&](const std::vector<Layer>& layers, const std::string& target) {
    std::vector<v1::Report> reports = {LayerReport("a.onnx", layers, target)};
    gate.Apply(absl::MakeSpan(reports));
    std::vector<bool> in_baseline;
    for (const v1::Finding& finding : reports[0].results(0).findings()) in_baseline.push_back(finding.in_baseline());
    return in_baseline;
  };
  EXPECT_THAT(known({conv}, "qnn_htp/SM8350@2.25.0"), ElementsAre(true));
  EXPECT_THAT(known({conv}, "qnn_htp/SM8650@2.25.0"), ElementsAre(true));
  EXPECT_THAT(known({conv}, "qnn_htp/SM8650@2.51.0"), ElementsAre(true));
  EXPECT_THAT(known({conv}, "xnnpack"), ElementsAre(false));
  // A report that stands twice knows nothing twice, and a newer one replaces an older.
  gate.baseline = {gate.baseline[0], gate.baseline[0]};
  EXPECT_THAT(known({conv, other}, "qnn_htp/SM8350@2.25.0"), ElementsAre(true, false));
  gate.baseline.push_back(LayerReport("a.onnx", {other}, "qnn_htp/SM8350@2.25.0"));
  EXPECT_THAT(known({conv, other}, "qnn_htp/SM8350@2.25.0"), ElementsAre(false, true));
}

TEST(Baseline, ReadsWhatCheckWrites) {
  const v1::Report report = LayerReport("a.onnx", {{"a", "w", 0}});
  const absl::StatusOr<std::vector<v1::Report>> one = ParseBaseline("b.json", *ToJson(report));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ((*one)[0].SerializeAsString(), report.SerializeAsString());
  const std::vector<v1::Report> two = {report, LayerReport("b.onnx", {})};
  const absl::StatusOr<std::vector<v1::Report>> both = ParseBaseline("b.json", AsArray(two));
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->size(), 2);
}

TEST(Baseline, AByteOrderMarkSaysNothing) {
  const std::string text = AsArray({LayerReport("m", {{"a", "w", 0}})});
  const auto marked = ParseBaseline("b.json", "\xEF\xBB\xBF" + text);
  ASSERT_TRUE(marked.ok()) << marked.status();
  EXPECT_EQ(marked->size(), 1u);
  EXPECT_FALSE(ParseBaseline("b.json", "\xEF\xBB\xBF").ok());
}

TEST(Baseline, WhatCouldNotBeCheckedIsLeftOut) {
  const v1::Report report = LayerReport("a.onnx", {{"a", "w", 0}});
  const MatrixRow good = {"a.onnx", &report, ""}, gone = {"gone.onnx", nullptr, "no such file"};
  const std::string unchecked = *RowToJson(gone);  // in lists that others put together
  const absl::StatusOr<std::vector<v1::Report>> baseline =
      ParseBaseline("b.json", absl::StrCat("[", unchecked, ",", *RowToJson(good), "]"));
  ASSERT_TRUE(baseline.ok()) << baseline.status();
  ASSERT_EQ(baseline->size(), 1);
  EXPECT_EQ((*baseline)[0].model().path(), "a.onnx");
  // A line that a store wrote of a report that it could not read.
  const std::string lost = R"({"name":"reports/1","stage":"STAGE_UNSPECIFIED","results":[]})";
  const auto with_good = [&](absl::string_view other) {
    return ParseBaseline("b.json", absl::StrCat("[", other, ",", *RowToJson(good), "]"));
  };
  EXPECT_TRUE(with_good(lost).ok()) << with_good(lost).status();
  EXPECT_FALSE(with_good(R"({"results":[]})").ok());
  for (const std::string& nothing : {unchecked, lost, absl::StrCat("[", unchecked, "]")}) {
    EXPECT_THAT(std::string(ParseBaseline("b.json", nothing).status().message()),
                HasSubstr("holds no report: none of its models could be checked"));
  }
}

TEST(Baseline, ReadsWhatServersAnswerAndExportsHold) {
  v1::Report old = LayerReport("a.onnx", {{"a", "w", 0}}), newer = LayerReport("a.onnx", {});
  old.mutable_create_time()->set_seconds(1'700'000'000);
  newer.mutable_create_time()->set_seconds(1'700'000'001);
  const std::string one = *ToJson(newer), other = *ToJson(old);
  const auto line = [](std::string json) {
    json.erase(std::remove(json.begin(), json.end(), '\n'), json.end());
    return json;
  };
  for (const std::string& text :
       {absl::StrCat("{\"reports\": [", one, ",", other, "], \"nextPageToken\": \"\"}"),
        absl::StrCat(line(one), "\n", line(other), "\n"),
        absl::StrCat(line(one).substr(0, line(one).size() - 1), ", \"graph\": {\"nodes\": []}}\n\n", line(other)),
        absl::StrCat("[", one, ",", other, "]")}) {
    const absl::StatusOr<std::vector<v1::Report>> baseline = ParseBaseline("b.json", text);
    ASSERT_TRUE(baseline.ok()) << baseline.status() << text;
    ASSERT_EQ(baseline->size(), 2) << text;
    EXPECT_EQ((*baseline)[0].SerializeAsString(), old.SerializeAsString()) << "newest last, as it is used";
  }
  const auto answer = ParseBaseline("b.json", absl::StrCat("{\"report\": ", one, "}"));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ((*answer)[0].SerializeAsString(), newer.SerializeAsString());
  EXPECT_FALSE(ParseBaseline("b.json", absl::StrCat(line(one), "\n{\"report\": {}}\n")).ok());
  EXPECT_FALSE(ParseBaseline("b.json", "{\"reports\": []}").ok());
}

TEST(Baseline, ListsThatLackSomethingAreRefused) {
  v1::Report summary = LayerReport("a.onnx", {{"a", "w", 0}});
  summary.mutable_results(0)->clear_findings();
  const v1::Report whole = LayerReport("b.onnx", {{"a", "w", 0}});
  const auto list = [](const v1::Report& report, const std::string& token) {
    return ParseBaseline("b.json",
                         absl::StrCat("{\"reports\": [", *ToJson(report), "], \"nextPageToken\": \"", token, "\"}"));
  };
  EXPECT_EQ(list(summary, "").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(list(summary, "").status().message()),
              HasSubstr("is a list without findings: ask with full=true"));
  EXPECT_EQ(list(whole, "t").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(list(whole, "t").status().message()), HasSubstr("is a list that goes on"));
  EXPECT_TRUE(list(whole, "").ok());
}

TEST(Baseline, AnyTimeThatAReportCanHaveIsOrdered) {
  v1::Report last = LayerReport("last.onnx", {}), before = LayerReport("before.onnx", {});
  v1::Report first = LayerReport("first.onnx", {});
  last.mutable_create_time()->set_seconds(253'402'300'799);  // the end of the year 9999
  last.mutable_create_time()->set_nanos(999'999'999);
  before.mutable_create_time()->set_seconds(253'402'300'799);
  first.mutable_create_time()->set_seconds(1'700'000'000);
  const auto baseline = ParseBaseline("b.json", AsArray({last, before, first}));
  ASSERT_TRUE(baseline.ok()) << baseline.status();
  EXPECT_EQ((*baseline)[0].model().path(), "first.onnx");
  EXPECT_EQ((*baseline)[1].model().path(), "before.onnx");
  EXPECT_EQ((*baseline)[2].model().path(), "last.onnx");
}

TEST(Baseline, ARenamedModelIsSaidInItsReport) {
  Gate gate;
  gate.baseline = {LayerReport("gone.onnx", {{"a", "w", 0}})};
  std::vector<v1::Report> reports = {LayerReport("new.onnx", {{"a", "w", 0}})};
  gate.Apply(absl::MakeSpan(reports));
  const v1::Result& result = reports[0].results(0);
  ASSERT_EQ(result.findings_size(), 2);
  EXPECT_EQ(result.findings(1).code(), "EN304");
  EXPECT_EQ(result.findings(1).message(),
            "the baseline is about 'gone.onnx', which has as many nodes and values; it counts for 'new.onnx'");
  EXPECT_EQ(result.verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
}

TEST(Baseline, ThatAModelIsRenamedCanBeWaived) {
  Gate gate;
  gate.baseline = {LayerReport("gone.onnx", {{"a", "w", 0}})};
  absl::StatusOr<Waivers> waivers =
      ParseWaivers("w.yaml", "waivers: [{rule: EN304, model: new.onnx, reason: renamed, expires: 2026-01-31}]");
  ASSERT_TRUE(waivers.ok()) << waivers.status();
  gate.waivers = *std::move(waivers);
  gate.now = absl::FromUnixSeconds(1'700'000'000);
  std::vector<v1::Report> reports = {LayerReport("new.onnx", {{"a", "w", 0}})};
  gate.Apply(absl::MakeSpan(reports));
  const v1::Result& result = reports[0].results(0);
  ASSERT_EQ(result.findings_size(), 2);
  EXPECT_EQ(result.findings(1).code(), "EN304");
  EXPECT_EQ(result.findings(1).waiver().reason(), "renamed");
  EXPECT_EQ(result.verdict(), v1::Result::ACCEPTED);
}

TEST(Baseline, FromANewerVersionIsRead) {
  const absl::StatusOr<std::vector<v1::Report>> baseline = ParseBaseline(
      "b.json", R"({"results": [{"target": "any", "verdict": "ACCEPTED", "novelty": {"a": [1]}}], "more": 1})");
  EXPECT_TRUE(baseline.ok()) << baseline.status();
}

TEST(Baseline, OfAnotherToolIsRefused) {
  const std::string deep(100'000, '[');
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), std::string("[1]"), std::string("null"),
        std::string("text"), std::string(R"({"version": "2.1.0", "runs": []})"),
        std::string(R"([{"filePath": "a.js", "messages": []}])"),
        std::string(R"({"results": [{"check_id": "x", "path": "y"}], "errors": []})"), std::string(R"({"results": 3})"),
        std::string("{\"results\": \"\xff\"}"), std::string("<testsuites/>"), deep}) {
    const absl::StatusOr<std::vector<v1::Report>> baseline = ParseBaseline("b.json", text);
    EXPECT_EQ(baseline.status().code(), absl::StatusCode::kInvalidArgument) << text.substr(0, 40);
    EXPECT_THAT(std::string(baseline.status().message()), HasSubstr("baseline b.json: ")) << text.substr(0, 40);
    EXPECT_EQ(baseline.status().message().find('\n'), absl::string_view::npos);
  }
}

TEST(Fingerprint, HasNoNamesInIt) {
  const auto of = [](const std::vector<Layer>& layers) {
    return db::Fingerprints(LayerReport("m", layers).results(0));
  };
  const std::vector<std::string> prints = of({{"a", "w", 0}, {"b", "x", 1}, {"b", "x", 1}});
  EXPECT_EQ(of({{"c", "p", 0}, {"d", "q", 1}, {"d", "q", 1}}), prints);
  EXPECT_EQ(
      db::Fingerprints(LayerReport("m", {{"a", "w", 0}, {"b", "x", 1}, {"b", "x", 1}}, "qnn_htp/SM8350@9").results(0)),
      prints);
  EXPECT_NE(prints[0], prints[1]);
  EXPECT_NE(prints[1], prints[2]);
  EXPECT_NE(of({{"a", "w", 0, "DT101"}})[0], prints[0]);
}

}  // namespace
}  // namespace quantgate
