#include "client/gate/baseline.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/text.h"
#include "client/text_file.h"
#include "db/reports/compare.h"
#include "google/protobuf/util/json_util.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate {
namespace {

constexpr int64_t kMaxBaselineBytes = int64_t{256} << 20;

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

}  // namespace

absl::StatusOr<std::vector<v1::Report>> ParseBaseline(const std::string& path, const std::string& text) {
  const auto error = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("baseline ", path, ": ", why, "; expected what quantgate check --format json writes"));
  };
  if (const size_t good = Utf8Prefix(text); good != text.size())
    return error(absl::StrCat("byte ", good, " is not UTF-8"));
  const absl::string_view trimmed = absl::StripAsciiWhitespace(text);
  if (trimmed.empty()) return error("is empty");
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer version
  v1::ListReportsResponse list;
  const bool several = trimmed[0] == '[';
  const auto parsed =
      several ? google::protobuf::util::JsonStringToMessage(absl::StrCat("{\"reports\":", trimmed, "}"), &list, options)
              : google::protobuf::util::JsonStringToMessage(std::string(trimmed), list.add_reports(), options);
  if (!parsed.ok()) {
    const std::string why(parsed.message());
    return error(absl::StrCat("is no report of quantgate: ", why.substr(0, why.find('\n'))));
  }
  if (list.reports().empty()) return error("holds no report");
  if (!absl::c_all_of(list.reports(), IsReport)) return error("is JSON, but no report of quantgate");
  return std::vector<v1::Report>(std::make_move_iterator(list.mutable_reports()->begin()),
                                 std::make_move_iterator(list.mutable_reports()->end()));
}

absl::StatusOr<std::vector<v1::Report>> ReadBaseline(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadTextFile(path, kMaxBaselineBytes);
  if (!text.ok()) return absl::Status(text.status().code(), absl::StrCat("baseline ", text.status().message()));
  return ParseBaseline(path, *text);
}

std::vector<const v1::Report*> BaselinesOf(absl::Span<const v1::Report> baseline,
                                           absl::Span<const std::string> models) {
  using std::filesystem::path;
  const auto path_of = [](const std::string& name) { return path(name).lexically_normal(); };
  // The only one in `all` for which `same` holds; else null.
  const auto only = [](const auto& all, auto same) -> decltype(&all[0]) {
    const auto found = absl::c_find_if(all, same);
    if (found == all.end() || std::any_of(found + 1, all.end(), same)) return nullptr;
    return &*found;
  };
  std::vector<const v1::Report*> found;
  for (const std::string& model : models) {
    found.push_back(
        only(baseline, [&](const v1::Report& report) { return path_of(report.model().path()) == path_of(model); }));
  }
  // What is there under its own path says nothing of other models.
  const std::vector<const v1::Report*> taken = found;
  for (size_t i = 0; i < models.size(); ++i) {
    if (found[i] != nullptr) continue;
    if (models.size() == 1 && baseline.size() == 1) {
      found[i] = &baseline[0];
      continue;
    }
    const path name = path_of(models[i]).filename();
    const v1::Report* same =
        only(baseline, [&](const v1::Report& report) { return path_of(report.model().path()).filename() == name; });
    const bool asked_once = only(models, [&](const std::string& model) { return path_of(model).filename() == name; });
    if (asked_once && !absl::c_linear_search(taken, same)) found[i] = same;
  }
  return found;
}

void MarkKnown(const v1::Report& known, v1::Report& report) {
  for (v1::Result& result : *report.mutable_results()) MarkResult(db::ResultsFor(known, result.target()), result);
}

}  // namespace quantgate
