#include "client/gate/baseline.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/text.h"
#include "client/text_file.h"
#include "db/reports/compare.h"
#include "google/protobuf/util/json_util.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate {
namespace {

constexpr int64_t kMaxBaselineBytes = int64_t{256} << 20;

// What check --format json says of a model that could not be checked, and a store of a report that it cannot read.
bool IsUnchecked(const v1::Report& report) {
  const bool is_named = !report.model().path().empty() || absl::StartsWith(report.name(), "reports/");
  return report.results().empty() && is_named;
}

bool IsReport(const v1::Report& report) {
  return report.results_size() > 0 && absl::c_all_of(report.results(), [](const v1::Result& result) {
           return !result.target().empty() && result.verdict() != v1::Result::VERDICT_UNSPECIFIED;
         });
}

void MarkResult(const std::vector<const v1::Result*>& known, v1::Result& result) {
  std::vector<db::TargetFinding> before, now;
  for (const v1::Result* earlier : known) {
    for (const v1::Finding& finding : earlier->findings()) {
      if (!finding.has_waiver()) before.push_back({earlier->target(), &finding});
    }
  }
  for (const v1::Finding& finding : result.findings()) now.push_back({result.target(), &finding});
  const std::vector<int> same = db::SameFindings(before, now);
  for (int i = 0; i < result.findings_size(); ++i) {
    if (same[i] >= 0) result.mutable_findings(i)->set_in_baseline(true);
  }
}

// The same number of nodes and values, so that it may be the same model under another name.
bool SameSize(const v1::Report& a, const v1::Report& b) {
  if (a.results().empty() || b.results().empty()) return false;
  const v1::Coverage &one = a.results(0).coverage(), &other = b.results(0).coverage();
  return one.nodes() == other.nodes() && one.values() == other.values();
}

// Results for the target in the last report that has it; where none has, those of another SDK version.
std::vector<const v1::Result*> NewestFor(absl::Span<const v1::Report* const> reports, absl::string_view target) {
  std::vector<const v1::Result*> other_sdk;
  for (auto report = reports.rbegin(); report != reports.rend(); ++report) {
    std::vector<const v1::Result*> results = db::ResultsFor(**report, target);
    if (results.empty()) continue;
    if (results[0]->target() == target) return results;
    if (other_sdk.empty()) other_sdk = std::move(results);
  }
  return other_sdk;
}

// Whether the file of a baseline's model is there and is another one: then that model was neither renamed nor moved.
bool IsElsewhere(const std::filesystem::path& known, const std::filesystem::path& checked) {
  std::error_code ignored;
  return std::filesystem::exists(known, ignored) && !std::filesystem::equivalent(known, checked, ignored);
}

// As lists of reports have them: what is rejected has findings.
bool IsSummary(const v1::Report& report) {
  return absl::c_any_of(report.results(), [](const v1::Result& result) {
    return result.verdict() == v1::Result::REJECTED && result.findings().empty();
  });
}

bool IsOlder(const v1::Report& a, const v1::Report& b) {
  const auto time = [](const v1::Report& report) {
    return std::make_pair(report.create_time().seconds(), report.create_time().nanos());
  };
  return time(a) < time(b);
}

// Adds those of one JSON document to `list`; why it cannot be read, else.
std::string AddReports(absl::string_view json, v1::ListReportsResponse& list) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer version
  const auto read = [&](const std::string& text, google::protobuf::Message* message) -> std::string {
    const auto parsed = google::protobuf::util::JsonStringToMessage(text, message, options);
    if (parsed.ok()) return "";
    const std::string why(parsed.message());
    return absl::StrCat("is no report of quantgate: ", why.substr(0, why.find('\n')));
  };
  const std::string text(json);
  if (json[0] == '[') return read(absl::StrCat("{\"reports\":", text, "}"), &list);
  v1::Report report;
  if (std::string why = read(text, &report); !why.empty()) return why;
  if (report.results().empty() && !IsUnchecked(report)) {
    v1::ListReportsResponse page;
    if (std::string why = read(text, &page); !why.empty()) return why;
    v1::GetReportResponse one;
    if (std::string why = read(text, &one); !why.empty()) return why;
    if (!page.next_page_token().empty()) return "is a list that goes on: ask for the pages that follow too";
    if (one.has_report()) *page.add_reports() = std::move(*one.mutable_report());
    if (page.reports().empty()) page.add_reports();  // which is none
    list.mutable_reports()->MergeFrom(page.reports());
    return "";
  }
  *list.add_reports() = std::move(report);
  return "";
}

}  // namespace

absl::StatusOr<std::vector<v1::Report>> ParseBaseline(const std::string& path, const std::string& text) {
  const auto error = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("baseline ", path, ": ", why, "; expected what quantgate check --format json writes"));
  };
  if (const size_t good = Utf8Prefix(text); good != text.size())
    return error(absl::StrCat("byte ", good, " is not UTF-8"));
  // Editors of Windows write a mark in front.
  const absl::string_view trimmed = absl::StripAsciiWhitespace(absl::StripPrefix(text, "\xEF\xBB\xBF"));
  if (trimmed.empty()) return error("is empty");
  v1::ListReportsResponse list;
  const absl::string_view first_line = trimmed.substr(0, trimmed.find('\n'));
  const bool is_lines = first_line.size() < trimmed.size() && trimmed[0] == '{' &&
                        absl::EndsWith(absl::StripTrailingAsciiWhitespace(first_line), "}");
  if (is_lines) {
    for (const absl::string_view line : absl::StrSplit(trimmed, '\n', absl::SkipWhitespace())) {
      if (const std::string why = AddReports(line, list); !why.empty()) return error(why);
    }
  } else if (const std::string why = AddReports(trimmed, list); !why.empty()) {
    return error(why);
  }
  if (list.reports().empty()) return error("holds no report");
  auto& all = *list.mutable_reports();
  all.erase(std::remove_if(all.begin(), all.end(), IsUnchecked), all.end());
  if (all.empty()) return error("holds no report: none of its models could be checked");
  if (!absl::c_all_of(list.reports(), IsReport)) return error("is JSON, but no report of quantgate");
  if (absl::c_any_of(list.reports(), IsSummary)) return error("is a list without findings: ask with full=true");
  std::vector<v1::Report> reports(std::make_move_iterator(list.mutable_reports()->begin()),
                                  std::make_move_iterator(list.mutable_reports()->end()));
  absl::c_stable_sort(reports, IsOlder);
  return reports;
}

absl::StatusOr<std::vector<v1::Report>> ReadBaseline(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadTextFile(path, kMaxBaselineBytes);
  if (!text.ok()) return absl::Status(text.status().code(), absl::StrCat("baseline ", text.status().message()));
  return ParseBaseline(path, *text);
}

std::vector<std::vector<const v1::Report*>> BaselinesOf(absl::Span<const v1::Report> baseline,
                                                        absl::Span<const v1::Report> reports) {
  struct Model {
    std::filesystem::path path;
    std::vector<const v1::Report*> reports;
  };
  const auto path_of = [](const v1::Report& report) {
    return std::filesystem::path(report.model().path()).lexically_normal();
  };
  std::vector<Model> known;
  for (const v1::Report& report : baseline) {
    auto same = absl::c_find_if(known, [&](const Model& model) { return model.path == path_of(report); });
    if (same == known.end()) same = known.insert(known.end(), Model{path_of(report), {}});
    same->reports.push_back(&report);
  }
  std::vector<const Model*> found(reports.size());
  for (size_t i = 0; i < reports.size(); ++i) {
    const auto same = absl::c_find_if(known, [&](const Model& model) { return model.path == path_of(reports[i]); });
    if (same != known.end()) found[i] = &*same;
  }
  for (size_t i = 0; i < reports.size(); ++i) {
    const std::string& sha256 = reports[i].model().sha256();
    if (found[i] != nullptr || sha256.empty()) continue;
    const auto moved = absl::c_find_if(known, [&](const Model& model) {
      return model.reports.back()->model().sha256() == sha256 && !absl::c_linear_search(found, &model) &&
             !IsElsewhere(model.path, path_of(reports[i]));
    });
    if (moved != known.end()) found[i] = &*moved;
  }
  // What is found so says nothing of other models.
  const std::vector<const Model*> taken = found;
  for (size_t i = 0; i < reports.size(); ++i) {
    if (found[i] != nullptr) continue;
    if (reports.size() == 1 && known.size() == 1 && SameSize(*known[0].reports.back(), reports[0]) &&
        !IsElsewhere(known[0].path, path_of(reports[0]))) {
      found[i] = &known[0];
      continue;
    }
    const auto is_namesake = [name = path_of(reports[i]).filename()](const std::filesystem::path& path) {
      return path.filename() == name;
    };
    const auto of_model = [&](const Model& model) { return is_namesake(model.path); };
    const bool asked_once =
        absl::c_count_if(reports, [&](const v1::Report& report) { return is_namesake(path_of(report)); }) == 1;
    if (!asked_once || absl::c_count_if(known, of_model) != 1) continue;
    const Model* same = &*absl::c_find_if(known, of_model);
    if (!absl::c_linear_search(taken, same) && !IsElsewhere(same->path, path_of(reports[i]))) found[i] = same;
  }
  std::vector<std::vector<const v1::Report*>> of_each;
  of_each.reserve(found.size());
  for (const Model* model : found) {
    of_each.push_back(model == nullptr ? std::vector<const v1::Report*>() : model->reports);
  }
  return of_each;
}

bool IsRenamed(const v1::Report& known, const v1::Report& report) {
  const auto name_of = [](const v1::Report& one) { return std::filesystem::path(one.model().path()).filename(); };
  return name_of(known) != name_of(report);
}

void MarkKnown(absl::Span<const v1::Report* const> known, v1::Report& report) {
  for (v1::Result& result : *report.mutable_results()) MarkResult(NewestFor(known, result.target()), result);
}

}  // namespace quantgate
