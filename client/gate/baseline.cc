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

const v1::Report* BaselineOf(absl::Span<const v1::Report> baseline, const std::string& path, bool only_model) {
  const auto only = [&](auto same) -> const v1::Report* {
    const auto found = absl::c_find_if(baseline, same);
    if (found == baseline.end() || std::any_of(found + 1, baseline.end(), same)) return nullptr;
    return &*found;
  };
  const std::filesystem::path wanted = std::filesystem::path(path).lexically_normal();
  const auto path_of = [](const v1::Report& report) {
    return std::filesystem::path(report.model().path()).lexically_normal();
  };
  if (const v1::Report* same = only([&](const v1::Report& report) { return path_of(report) == wanted; })) return same;
  if (only_model && baseline.size() == 1) return &baseline[0];
  return only([&](const v1::Report& report) { return path_of(report).filename() == wanted.filename(); });
}

void MarkKnown(const v1::Report& known, v1::Report& report) {
  for (v1::Result& result : *report.mutable_results()) MarkResult(db::ResultsFor(known, result.target()), result);
}

}  // namespace quantgate
