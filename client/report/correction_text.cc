#include "client/report/correction_text.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/report/finding_text.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "rules/engine/verdict.h"

namespace quantgate {
namespace {

constexpr char kBecomes[] = " becomes ";

std::pair<std::string, std::string> Sides(absl::string_view summary) {
  return absl::StrSplit(summary, absl::MaxSplits(kBecomes, 1));
}

// Changes with one text, at one port of one operator.
struct Alike {
  std::string port;
  std::string op;
  std::string summary;
  std::vector<std::string> places;
};

std::string Port(const v1::Location& location) {
  if (location.has_input()) return absl::StrCat("input ", location.input());
  if (location.has_output()) return absl::StrCat("output ", location.output());
  return "tensor";
}

std::vector<Alike> Group(const v1::Result& result) {
  std::vector<Alike> groups;
  for (const v1::Correction& correction : result.corrections()) {
    for (const v1::Change& change : correction.changes()) {
      const v1::Location& location = change.location();
      const std::string port = Port(location);
      auto group = absl::c_find_if(groups, [&](const Alike& known) {
        return known.port == port && known.op == location.op() && known.summary == change.summary();
      });
      if (group == groups.end()) {
        groups.push_back({port, location.op(), change.summary(), {}});
        group = groups.end() - 1;
      }
      group->places.push_back(location.node().empty() ? location.value() : location.node());
    }
  }
  return groups;
}

std::string Title(const v1::Result& result) {
  int changes = 0, faults = 0, removed = 0;
  bool proven = true, safe = true;
  for (const v1::Correction& correction : result.corrections()) {
    changes += correction.changes_size();
    proven &= correction.proven();
    safe &= correction.safe();
  }
  for (const v1::Finding& finding : result.findings()) {
    if (!IsFault(finding)) continue;
    ++faults;
    removed += finding.correction().empty() ? 0 : 1;
  }
  std::string text = absl::StrCat(Count(changes, "change"), " of specs ", changes == 1 ? "removes " : "remove ");
  if (faults == 0) {  // a team's severities can make any finding less
    absl::StrAppend(&text, "what counts as no error here");
  } else if (faults == 1) {
    absl::StrAppend(&text, "the only error or fallback");
  } else {
    absl::StrAppend(&text, removed == faults ? "all " : absl::StrCat(WithCommas(removed), " of "), WithCommas(faults),
                    " errors and fallbacks");
  }
  absl::StrAppend(&text, proven ? "; the changed graph was checked again" : "; not checked again");
  if (safe) absl::StrAppend(&text, "; no number gets worse");
  return text;
}

std::string Body(const v1::Result& result, const Style& style) {
  std::string out;
  for (const Alike& group : Group(result)) {
    const std::string count =
        group.places.size() > 1 ? absl::StrCat(WithCommas(group.places.size()), " ", Times(style), " ") : "";
    AppendWrapped(out, "  ",
                  absl::StrCat(count, group.port, " of ", group.op.empty() ? "the graph" : Printable(group.op), ": ",
                               NameList(group.places, style)),
                  style.width, 6);
    const std::pair<std::string, std::string> specs = Sides(group.summary);
    AppendWrapped(out, "       ", Printable(specs.first), style.width);
    AppendWrapped(out, "    -> ", Paint(style, Ink::kGreen, Printable(specs.second)), style.width);
  }
  return out;
}

// What simulations of corrected copies say.
std::string Costs(const v1::Result& result, const Style& style) {
  std::vector<std::string> costs;
  for (const v1::Correction& correction : result.corrections()) {
    if (!correction.has_predicted_cost()) continue;
    const v1::PredictedCost& cost = correction.predicted_cost();
    costs.push_back(
        absl::StrFormat("%s %.1f -> %.1f dB", Printable(correction.id()), cost.sqnr_before_db(), cost.sqnr_after_db()));
  }
  std::string out;
  if (!costs.empty()) {
    AppendWrapped(out, "  ", absl::StrCat("simulated, the output that is worst off: ", absl::StrJoin(costs, "; ")),
                  style.width, 6);
  }
  return out;
}

// Which targets one set of specs satisfies, and what keeps the others out.
std::string CommonText(const v1::CommonCorrections& common, const Style& style) {
  std::string out;
  if (common.targets_size() > 1) {
    std::vector<std::string> targets;
    for (const std::string& target : common.targets()) targets.push_back(Printable(target));
    AppendWrapped(out, "  ",
                  absl::StrCat("One set of specs passes on ", absl::StrJoin(targets, ", "), ": ",
                               Count(common.changes_size(), "change"), " (commonCorrections)."),
                  style.width);
  }
  for (const v1::Conflict& conflict : common.conflicts()) {
    std::vector<std::string> targets;
    for (const std::string& target : conflict.targets()) targets.push_back(Printable(target));
    AppendWrapped(out, "  ",
                  absl::StrCat(absl::StrJoin(targets, ", "), targets.size() > 1 ? " exclude each other: " : ": ",
                               Printable(conflict.reason())),
                  style.width);
  }
  return out;
}

}  // namespace

std::pair<std::string, std::string> ChangeTexts(const v1::Change& change) { return Sides(change.summary()); }

std::string RenderCorrections(const v1::Report& report, const Style& style) {
  struct Said {
    std::string title;
    std::string body;
    std::vector<int> targets;
  };
  std::vector<Said> said;
  for (int i = 0; i < report.results_size(); ++i) {
    if (report.results(i).corrections().empty()) continue;
    const v1::Result& result = report.results(i);
    Said here{Title(result), absl::StrCat(Body(result, style), Costs(result, style)), {}};
    auto same =
        absl::c_find_if(said, [&](const Said& known) { return known.title == here.title && known.body == here.body; });
    if (same == said.end()) same = said.insert(said.end(), std::move(here));
    same->targets.push_back(i);
  }
  std::string out;
  for (const Said& each : said) {
    if (!out.empty()) absl::StrAppend(&out, "\n");
    const bool all = static_cast<int>(each.targets.size()) == report.results_size();
    const std::string for_targets = all ? "" : absl::StrCat(" for ", TargetNames(report, each.targets));
    AppendWrapped(out, absl::StrCat(Paint(style, Ink::kBold, "corrections"), for_targets, ": "), each.title,
                  style.width, 2);
    absl::StrAppend(&out, each.body);
  }
  const std::string common = CommonText(report.common_corrections(), style);
  return common.empty() ? out : absl::StrCat(out, "\n", Paint(style, Ink::kBold, "all targets"), "\n", common);
}

}  // namespace quantgate
