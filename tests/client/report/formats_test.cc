// What other programs read: golden files, and names that want to be more than names.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/report/github.h"
#include "client/report/junit.h"
#include "client/report/markdown.h"
#include "client/report/sarif.h"
#include "client/report/simulation_text.h"
#include "client/report/xml.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "quantgate/v1/report_service.pb.h"
#include "tests/client/files.h"

namespace quantgate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::filesystem::path Data() { return std::filesystem::path(QUANTGATE_TEST_DATA) / "report" / "formats"; }

struct ModelRun {
  v1::ListReportsResponse reports;
  std::vector<MatrixRow> rows;
};

// Reports of models of the tests, as `check --format json` wrote them, and a model that could not be read.
ModelRun Recorded() {
  ModelRun run;
  const auto status = google::protobuf::util::JsonStringToMessage(
      absl::StrCat("{\"reports\":", ReadFile(Data() / "reports.json"), "}"), &run.reports);
  EXPECT_TRUE(status.ok()) << status;
  for (const v1::Report& report : run.reports.reports()) run.rows.push_back({report.model().path(), &report, ""});
  run.rows.push_back({"gone.onnx", nullptr, "gone.onnx: no such file"});
  return run;
}

struct Format {
  const char* file;
  std::string (*render)(absl::Span<const MatrixRow>, int);
};

std::string Markdown(absl::Span<const MatrixRow> rows, int exit_code) { return RenderMarkdown(rows, exit_code); }

std::string Sarif(absl::Span<const MatrixRow> rows, int exit_code) { return RenderSarif(rows, exit_code, true); }

constexpr Format kFormats[] = {{"expected.sarif", Sarif},
                               {"expected.junit.xml", RenderJunit},
                               {"expected.github.txt", RenderGithub},
                               {"expected.md", Markdown}};

class Formats : public testing::TestWithParam<Format> {};

// QUANTGATE_UPDATE_EXPECTED=1 writes the files anew; look at what changed.
TEST_P(Formats, AreAsExpected) {
  const ModelRun run = Recorded();
  const std::string text = GetParam().render(run.rows, 2);
  const std::filesystem::path path = Data() / GetParam().file;
  if (std::getenv("QUANTGATE_UPDATE_EXPECTED") != nullptr) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text, ReadFile(path));
}

// Verdicts, findings, corrections, what was not checked: each says all of it.
TEST_P(Formats, SayAll) {
  const ModelRun run = Recorded();
  const std::string text =
      absl::StrReplaceAll(GetParam().render(run.rows, 2), {{"&#95;", "_"}, {"&#64;", "@"}, {"%40", "@"}});
  for (const v1::Report& report : run.reports.reports()) {
    EXPECT_THAT(text, HasSubstr(report.model().path()));
    for (const v1::Result& result : report.results()) {
      EXPECT_THAT(text, HasSubstr(result.target()));
      for (const v1::Finding& finding : result.findings()) {
        EXPECT_THAT(text, HasSubstr(finding.code()));
        EXPECT_THAT(text, HasSubstr(finding.waiver().reason()));
      }
      for (const v1::NotChecked& entry : result.not_checked()) EXPECT_THAT(text, HasSubstr(entry.rule()));
    }
  }
  EXPECT_THAT(text, HasSubstr("int8, symmetric, scale 0.006930579"));  // what a correction puts in place
  EXPECT_THAT(text, HasSubstr("no such file"));
}

TEST_P(Formats, SayWhatTheLibraryAndTheSimulationSaid) {
  ModelRun run = Recorded();
  v1::Report& report = *run.reports.mutable_reports(0);
  v1::Confirmation& confirmation = *report.mutable_results(0)->mutable_confirmation();
  confirmation.set_sdk("2.51.0");
  v1::ConfirmedNode& node = *confirmation.add_nodes();
  node.set_node("conv_9");
  node.set_differs(true);
  node.add_answers()->set_reason("no kernel for this");
  report.mutable_simulation()->set_profile("qnn_htp");
  report.mutable_simulation()->set_profile_reason("stands in");
  const std::string text =
      absl::StrReplaceAll(GetParam().render(run.rows, 2), {{"&#95;", "_"}, {"&apos;", "'"}, {"&#39;", "'"}});
  EXPECT_THAT(text, HasSubstr("1 node put to the vendor's library 2.51.0: 0 agree, 1 differ"));
  EXPECT_THAT(text, HasSubstr("no kernel for this"));
  EXPECT_THAT(text, HasSubstr("qnn_htp (stands in)"));
}

constexpr char kHostile[] =
    "a\n::error::x\r\x01\x1b[31m%0A,:;<b>&\"'|`````]]>-->@octocat #1 \\ $(x) https://x.y \xff \xef\xbf\xbf \u202e";

ModelRun Hostile() {
  ModelRun run;
  v1::Report& report = *run.reports.add_reports();
  report.mutable_model()->set_path("m\n::error::.onnx");
  report.set_mode(v1::Report::STRICT);
  v1::Result& result = *report.add_results();
  result.set_target("x/y@1");
  result.set_verdict(v1::Result::REJECTED);
  v1::Finding& finding = *result.add_findings();
  finding.set_code("NR001");
  finding.set_rule("scale-range");
  finding.set_severity(v1::Finding::ERROR);
  finding.set_effect(v1::Finding::UNSOUND);
  for (std::string* text :
       {finding.mutable_message(), finding.mutable_observed(), finding.mutable_allowed(), finding.mutable_fix(),
        finding.mutable_location()->mutable_node(), finding.mutable_location()->mutable_value(),
        finding.mutable_location()->mutable_source_line(), finding.mutable_waiver()->mutable_reason()}) {
    *text = kHostile;
  }
  result.add_not_checked()->set_node(kHostile);
  result.mutable_not_checked(0)->set_reason(kHostile);
  v1::Correction& correction = *result.add_corrections();
  correction.set_id("c1");
  correction.add_fixes(0);
  v1::Change& change = *correction.add_changes();
  change.mutable_location()->set_node(kHostile);
  change.set_summary(absl::StrCat(kHostile, " becomes ", kHostile));
  run.rows.push_back({report.model().path(), &report, ""});
  run.rows.push_back({kHostile, nullptr, kHostile});
  return run;
}

// Control characters but line feeds, and bytes that are not UTF-8.
bool IsClean(const std::string& text) {
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == '\x7f' || c == '\xff') return false;
  }
  return true;
}

TEST_P(Formats, NamesStayNames) {
  const ModelRun run = Hostile();
  const std::string text = GetParam().render(run.rows, 1);
  EXPECT_TRUE(IsClean(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(All, Formats, testing::ValuesIn(kFormats));

TEST(Github, EveryLineIsOneCommandOfOurs) {
  const ModelRun run = Hostile();
  std::vector<std::string> lines = absl::StrSplit(RenderGithub(run.rows, 1), '\n');
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  EXPECT_EQ(lines.size(), 5);  // verdict, finding, corrections, what was looked at; the other model
  for (const std::string& line : lines) {
    EXPECT_THAT(line, testing::AnyOf(StartsWith("::error file="), StartsWith("::notice file=")));
    const std::string properties = line.substr(0, line.find("::", 2));
    EXPECT_THAT(properties, AllOf(Not(HasSubstr("%0A,")), HasSubstr(",title="))) << line;
  }
  EXPECT_THAT(lines.back(), HasSubstr("%250A%2C%3A;"));
}

TEST(Github, ALineOfCodeIsTheFile) {
  ModelRun run = Hostile();
  v1::Finding& finding = *run.reports.mutable_reports(0)->mutable_results(0)->mutable_findings(0);
  finding.mutable_location()->set_source_line("net.py:12");
  EXPECT_THAT(RenderGithub(run.rows, 1), HasSubstr("::notice file=net.py,line=12,title=NR001"));
  finding.mutable_location()->set_source_line("/home/user/net.py:12");
  EXPECT_THAT(RenderGithub(run.rows, 1), Not(HasSubstr("file=/home")));
}

TEST(Xml, EscapesWhatXmlForbids) {
  EXPECT_EQ(XmlEscaped("<a b=\"c\">&'\n"), "&lt;a b=&quot;c&quot;&gt;&amp;&apos;&#10;");
  EXPECT_EQ(XmlEscaped(absl::string_view("\0\x01\x1b\x7f\t", 5)), "\\x00\\x01\\x1b\\x7f\\x09");
  EXPECT_EQ(XmlEscaped("\xff\xed\xa0\x80\xef\xbf\xbf"), "\\xff\\xed\\xa0\\x80\\xef\\xbf\\xbf");
  EXPECT_EQ(XmlEscaped("]]>"), "]]&gt;");
  EXPECT_EQ(XmlEscaped("größe ✓"), "größe ✓");
}

TEST(Markdown, FencesAreLongerThanWhatTheyHold) {
  const ModelRun run = Hostile();
  const std::string text = RenderMarkdown(run.rows, 1);
  EXPECT_THAT(text, HasSubstr("\n``````text\n"));  // the names hold five
  // Outside of code nothing of a model is written.
  bool in_code = false;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, "```")) in_code = !in_code;
    if (in_code) continue;
    EXPECT_THAT(std::string(line), AllOf(Not(HasSubstr("@octocat")), Not(HasSubstr("<b>")), Not(HasSubstr("https:"))));
  }
  EXPECT_FALSE(in_code);
}

// Warn mode ends with 0 whatever was found.
TEST(Markdown, TheHeadlineIsGreenWhereAllIsAccepted) {
  ModelRun run;
  v1::Report& report = *run.reports.add_reports();
  report.set_mode(v1::Report::WARN);
  v1::Result& result = *report.add_results();
  run.rows.push_back({"m.onnx", &report, ""});
  const auto headline = [&](v1::Result::Verdict verdict, int exit_code) {
    result.set_verdict(verdict);
    const std::string text = RenderMarkdown(run.rows, exit_code);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(headline(v1::Result::ACCEPTED_WITH_WARNINGS, 0), "## ✅ QuantGate");
  EXPECT_EQ(headline(v1::Result::REJECTED, 0), "## ⚠️ QuantGate");
  EXPECT_EQ(headline(v1::Result::UNKNOWN, 0), "## ⚠️ QuantGate");
  EXPECT_EQ(headline(v1::Result::REJECTED, 1), "## ❌ QuantGate");
}

TEST(Markdown, IsBounded) {
  ModelRun run;
  for (int model = 0; model < 300; ++model) {
    v1::Report& report = *run.reports.add_reports();
    report.mutable_model()->set_path(absl::StrCat("model", model, ".onnx"));
    v1::Result& result = *report.add_results();
    result.set_target("any");
    result.set_verdict(v1::Result::REJECTED);
    for (int i = 0; i < 20; ++i) {
      v1::Finding& finding = *result.add_findings();
      finding.set_code(absl::StrCat("DT", 100 + i));
      finding.set_severity(v1::Finding::ERROR);
      finding.set_message(std::string(500, 'x'));
    }
  }
  for (const v1::Report& report : run.reports.reports()) run.rows.push_back({report.model().path(), &report, ""});
  const std::string text = RenderMarkdown(run.rows, 1);
  EXPECT_LE(text.size(), kMaxMarkdownBytes);
  EXPECT_GT(text.size(), kMaxMarkdownBytes / 2);
  EXPECT_THAT(text, HasSubstr("left out"));
  EXPECT_THAT(text, HasSubstr("model299.onnx"));  // verdicts go first
  EXPECT_LE(RenderMarkdown(run.rows, 1, 300).size(), 300);
}

TEST(Sarif, AServerMayKnowMoreRules) {
  ModelRun run = Hostile();
  run.reports.mutable_reports(0)->mutable_results(0)->mutable_findings(0)->set_code("ZZ999");
  EXPECT_THAT(RenderSarif(run.rows, 1, false), HasSubstr("\"id\": \"ZZ999\""));
}

}  // namespace
}  // namespace quantgate
