#include "client/report/junit.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/report/correction_text.h"
#include "client/report/finding_text.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "client/report/verdict.h"
#include "client/report/xml.h"

namespace quantgate {
namespace {

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

std::string Attribute(absl::string_view name, absl::string_view value) {
  return absl::StrCat(" ", name, "=\"", XmlEscaped(value), "\"");
}

std::string Attributes(const Counts& counts) {
  return absl::StrCat(Attribute("tests", absl::StrCat(counts.tests)),
                      Attribute("failures", absl::StrCat(counts.failures)),
                      Attribute("errors", absl::StrCat(counts.errors)),
                      Attribute("skipped", absl::StrCat(counts.skipped)), Attribute("time", "0"));
}

Style BodyStyle() {
  Style style;
  style.unicode = true;
  style.verbose = true;
  return style;
}

// Line feeds of content stay line feeds, which people read.
std::string Content(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  return absl::StrJoin(lines, "\n", [](std::string* out, absl::string_view line) { out->append(XmlEscaped(line)); });
}

// The cases of one model and target.
class Suite {
 public:
  Suite(std::string model, std::string target) : model_(std::move(model)), target_(std::move(target)) {}

  // `element` is what the case holds: "failure", "error", "skipped" with a message; "system-out"; "": it passed.
  void Add(const std::string& name, absl::string_view element, absl::string_view message, absl::string_view type,
           absl::string_view body) {
    ++counts_.tests;
    counts_.failures += element == "failure";
    counts_.errors += element == "error";
    counts_.skipped += element == "skipped";
    // Two causes of one rule are two cases.
    const int nth = ++names_[name];
    absl::StrAppend(&cases_, "    <testcase", Attribute("classname", absl::StrCat(model_, " ", target_)),
                    Attribute("name", nth == 1 ? name : absl::StrCat(name, " #", nth)), Attribute("time", "0"));
    if (element.empty()) {
      absl::StrAppend(&cases_, "/>\n");
      return;
    }
    absl::StrAppend(&cases_, ">\n      <", element);
    if (!message.empty()) absl::StrAppend(&cases_, Attribute("message", message));
    if (!type.empty()) absl::StrAppend(&cases_, Attribute("type", type));
    absl::StrAppend(&cases_, ">", Content(body), "</", element, ">\n    </testcase>\n");
  }

  std::string Xml(const std::vector<std::pair<std::string, std::string>>& properties, const std::string& output) const {
    std::string xml =
        absl::StrCat("  <testsuite", Attribute("name", absl::StrCat(model_, " ", target_)), Attributes(counts_), ">\n");
    if (!properties.empty()) absl::StrAppend(&xml, "    <properties>\n");
    for (const auto& [name, value] : properties) {
      absl::StrAppend(&xml, "      <property", Attribute("name", name), Attribute("value", value), "/>\n");
    }
    if (!properties.empty()) absl::StrAppend(&xml, "    </properties>\n");
    absl::StrAppend(&xml, cases_);
    if (!output.empty()) absl::StrAppend(&xml, "    <system-out>", Content(output), "</system-out>\n");
    return absl::StrCat(xml, "  </testsuite>\n");
  }

  const Counts& counts() const { return counts_; }

 private:
  std::string model_, target_;
  std::map<std::string, int> names_;
  Counts counts_;
  std::string cases_;
};

// `report` has one result.
std::string AddResult(const v1::Report& report, const std::string& model, Counts& all) {
  const Style style = BodyStyle();
  const v1::Result& result = report.results(0);
  Suite suite(model, result.target());
  const std::string verdict = Readable(v1::Result::Verdict_Name(result.verdict()));
  const bool rejects = ExitCodeFor(report) != 0;
  suite.Add("verdict", rejects ? "failure" : "", verdict, verdict, result.verdict_reason());
  for (const FindingGroup& group : GroupFindings(report)) {
    const v1::Finding& first = *group.findings.front();
    const std::string name = absl::StrCat(first.code(), " ", first.rule());
    const std::string facts = absl::StrCat(SeverityWord(first.severity()), ": ", FindingFacts(group, style));
    const std::string body = FindingBody(report, group, style);
    if (const std::string standing = StandingText(first); !standing.empty()) {
      suite.Add(name, "skipped", standing, "", absl::StrCat(facts, "\n", body));
    } else if (rejects && first.severity() == v1::Finding::ERROR) {
      suite.Add(name, "failure", facts, Readable(v1::Finding::Effect_Name(first.effect())), body);
    } else {
      suite.Add(name, "system-out", "", "", absl::StrCat(facts, "\n", body));
    }
  }
  for (const NotCheckedGroup& group : GroupNotChecked(report)) {
    suite.Add("not checked", "skipped", NotCheckedText(report, group, style), "", "");
  }
  all.tests += suite.counts().tests;
  all.failures += suite.counts().failures;
  all.skipped += suite.counts().skipped;
  return suite.Xml({{"target", result.target()},
                    {"verdict", verdict},
                    {"model.sha256", report.model().sha256()},
                    {"tablesDigest", report.tables_digest()},
                    {"toolVersion", report.tool_version()}},
                   absl::StrCat(RenderCorrections(report, style), RenderFacts(report, style)));
}

}  // namespace

std::string RenderJunit(absl::Span<const MatrixRow> rows, int exit_code) {
  Counts counts;
  std::string suites;
  for (const MatrixRow& row : rows) {
    if (row.report == nullptr) {
      Suite suite(row.model, "not checked");
      suite.Add("read", "error", row.error, "", "");
      absl::StrAppend(&suites, suite.Xml({}, ""));
      ++counts.tests;
      ++counts.errors;
      continue;
    }
    v1::Report one = *row.report;  // a view of one target at a time
    for (const v1::Result& result : row.report->results()) {
      one.clear_results();
      *one.add_results() = result;
      absl::StrAppend(&suites, AddResult(one, row.model, counts));
    }
  }
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"quantgate\"", Attributes(counts),
                      ">\n", suites, "</testsuites>\n");
}

}  // namespace quantgate
