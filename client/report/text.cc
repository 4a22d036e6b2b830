#include "client/report/text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/report/confirmation_text.h"
#include "client/report/correction_text.h"
#include "client/report/finding_text.h"
#include "client/report/group.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "client/report/simulation_text.h"
#include "client/report/verdict.h"

namespace quantgate {
namespace {

std::string Header(const v1::Report& report, const Style& style) {
  std::vector<std::string> facts;
  if (!report.model().format().empty()) facts.push_back(Printable(report.model().format()));
  if (report.stage() != v1::STAGE_UNSPECIFIED && v1::Stage_IsValid(report.stage())) {
    facts.push_back(Readable(v1::Stage_Name(report.stage()).substr(sizeof("STAGE_") - 1)));
  }
  if (report.results_size() > 0) facts.push_back(Count(report.results(0).coverage().nodes(), "node"));
  if (report.mode() == v1::Report::WARN) facts.push_back("warn mode");
  if (!report.name().empty()) facts.push_back(Printable(report.name()));
  const std::string path = report.model().path().empty() ? "(graph)" : Printable(report.model().path());
  std::string out;
  AppendWrapped(out, Paint(style, Ink::kBold, path) + " ", absl::StrCat(Dot(style), absl::StrJoin(facts, Dot(style))),
                style.width, 2);
  return out;
}

// "DT201 ×96, QS003, 2 not checked": what counts against a target, what has errors first.
std::string Reasons(const v1::Result& result, const Style& style) {
  struct Counted {
    int worst = v1::Finding::INFO;
    int count = 0;
  };
  std::map<std::string, Counted> by_code;
  int waived = 0, known = 0;
  for (const v1::Finding& finding : result.findings()) {
    if (finding.has_waiver()) {
      ++waived;
    } else if (finding.in_baseline()) {
      ++known;
    } else if (finding.severity() != v1::Finding::INFO) {
      Counted& counted = by_code[Printable(finding.code())];
      counted.worst = std::min<int>(counted.worst, finding.severity());
      ++counted.count;
    }
  }
  std::vector<std::string> parts;
  for (const int severity : {v1::Finding::SEVERITY_UNSPECIFIED, v1::Finding::ERROR, v1::Finding::WARNING}) {
    for (const auto& [code, counted] : by_code) {
      if (counted.worst != severity) continue;
      parts.push_back(counted.count == 1 ? code : absl::StrCat(code, " ", Times(style), WithCommas(counted.count)));
    }
  }
  if (waived > 0) parts.push_back(absl::StrCat(WithCommas(waived), " waived"));
  if (known > 0) parts.push_back(absl::StrCat(WithCommas(known), " in the baseline"));
  if (result.not_checked_size() > 0)
    parts.push_back(absl::StrCat(WithCommas(result.not_checked_size()), " not checked"));
  return absl::StrJoin(parts, ", ");
}

// Verdict, target and reason of each result, verdicts in one column.
std::string Verdicts(const v1::Report& report, const Style& style) {
  int verdict_width = 0, target_width = 0;
  for (const v1::Result& result : report.results()) {
    verdict_width = std::max(verdict_width, DisplayWidth(VerdictMark(result.verdict(), style)));
    target_width = std::max(target_width, DisplayWidth(Printable(result.target())));
  }
  std::string out;
  for (const v1::Result& result : report.results()) {
    const std::string mark = VerdictMark(result.verdict(), style);
    const std::string target = Printable(result.target());
    const std::string reason =
        result.verdict_reason().empty() ? Reasons(result, style) : Printable(result.verdict_reason());
    std::string prefix = absl::StrCat("  ", mark, std::string(verdict_width - DisplayWidth(mark) + 2, ' '), target);
    if (!reason.empty()) absl::StrAppend(&prefix, std::string(target_width - DisplayWidth(target) + 2, ' '));
    AppendWrapped(out, prefix, reason, style.width);
  }
  return out;
}

// "qnn_htp/SM8350@2.25.0: ", or nothing when all targets are meant.
std::string ForTargets(const v1::Report& report, const std::vector<int>& targets) {
  if (static_cast<int>(targets.size()) == report.results_size()) return "";
  return absl::StrCat(TargetNames(report, targets), ": ");
}

std::string CoverageText(const v1::Coverage& coverage) {
  return absl::StrCat(WithCommas(coverage.checked_nodes()), " of ", Count(coverage.nodes(), "node"), ", ",
                      WithCommas(coverage.checked_values()), " of ", Count(coverage.values(), "value"));
}

std::string OutcomeText(const v1::Result& result, const Style& style) {
  const v1::Outcome& outcome = result.outcome();
  if (outcome.kind() == v1::Outcome::KIND_UNSPECIFIED || !v1::Outcome::Kind_IsValid(outcome.kind())) return "";
  const auto refused = std::count_if(outcome.nodes().begin(), outcome.nodes().end(),
                                     [](const v1::NodeOutcome& node) { return node.refused(); });
  std::string text = Readable(v1::Outcome::Kind_Name(outcome.kind()));
  if (!outcome.toolchain().empty()) absl::StrAppend(&text, " (", Printable(outcome.toolchain()), ")");
  if (refused > 0) absl::StrAppend(&text, ", ", Count(refused, "node"), " refused");
  if (outcome.has_cause() && outcome.cause() >= 0 && outcome.cause() < result.findings_size()) {
    const v1::Finding& cause = result.findings(outcome.cause());
    absl::StrAppend(&text, ", because of ", Printable(cause.code()));
    if (!cause.location().node().empty()) absl::StrAppend(&text, " at ", Printable(cause.location().node()));
  }
  return text;
}

// A line per distinct text, with the targets that it holds for.
template <typename TextOf>
void AppendPerTarget(std::string& out, absl::string_view label, const v1::Report& report, const Style& style,
                     TextOf text_of) {
  std::vector<std::pair<std::string, std::vector<int>>> lines;
  for (int i = 0; i < report.results_size(); ++i) {
    const std::string text = text_of(report.results(i));
    if (text.empty()) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& known) { return known.first == text; });
    if (line == lines.end()) line = lines.insert(lines.end(), {text, {}});
    line->second.push_back(i);
  }
  for (const auto& [text, targets] : lines) {
    AppendWrapped(out, Label(label, style), ForTargets(report, targets) + text, style.width);
  }
}

}  // namespace

std::string NotCheckedText(const v1::Report& report, const NotCheckedGroup& group, const Style& style) {
  const v1::NotChecked& first = *group.entries.front();
  absl::btree_set<std::string> rules;
  std::vector<std::string> nodes;
  absl::flat_hash_set<absl::string_view> seen;
  for (const v1::NotChecked* entry : group.entries) {
    if (!entry->rule().empty()) rules.insert(Printable(entry->rule()));
    if (!entry->node().empty() && seen.insert(entry->node()).second) nodes.push_back(entry->node());
  }
  std::string text = ForTargets(report, group.targets);
  if (!rules.empty()) absl::StrAppend(&text, absl::StrJoin(rules, ", "), ", ");
  absl::StrAppend(
      &text, nodes.empty() ? "the graph" : absl::StrCat(Count(nodes.size(), "node"), " (", NameList(nodes, style), ")"),
      ": ", Printable(first.reason()));
  return text;
}

std::string RenderFacts(const v1::Report& report, const Style& style) {
  std::string facts;
  AppendPerTarget(facts, "outcome", report, style,
                  [&](const v1::Result& result) { return OutcomeText(result, style); });
  AppendPerTarget(facts, "checked", report, style,
                  [](const v1::Result& result) { return CoverageText(result.coverage()); });
  if (report.has_simulation()) {
    AppendWrapped(facts, Label("simulated", style), SimulationText(report.simulation()), style.width);
  }
  for (const NotCheckedGroup& group : GroupNotChecked(report)) {
    AppendWrapped(facts, Label("not checked", style), NotCheckedText(report, group, style), style.width);
  }
  for (const v1::Result& result : report.results()) {
    const std::string confirmation = RenderConfirmation(result, style);
    if (!confirmation.empty()) absl::StrAppend(&facts, "\n", confirmation);
  }
  return facts;
}

std::string RenderText(const v1::Report& report, const Style& style) {
  std::string out = absl::StrCat(Header(report, style), Verdicts(report, style));
  for (const FindingGroup& group : GroupFindings(report)) {
    absl::StrAppend(&out, "\n", RenderFindingGroup(report, group, style));
  }
  if (std::string corrections = RenderCorrections(report, style); !corrections.empty()) {
    absl::StrAppend(&out, "\n", corrections);
  }
  return absl::StrCat(out, "\n", RenderFacts(report, style));
}

std::string RenderRow(const MatrixRow& row, const Style& style) {
  if (row.report != nullptr) return RenderText(*row.report, style);
  std::string out = absl::StrCat(Paint(style, Ink::kBold, Printable(row.model)), "\n");
  AppendWrapped(out, absl::StrCat("  ", Paint(style, Ink::kRed, "not checked"), "  "), Printable(row.error),
                style.width);
  return out;
}

}  // namespace quantgate
