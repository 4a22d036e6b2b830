#include "db/reports/derived.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/reports/key_text.h"
#include "db/reports/problems.h"
#include "db/reports/trends.h"

namespace quantgate::db::reports {
namespace {

// Repository, model path and target, as key texts.
using SubjectKey = std::array<std::string, 3>;

SubjectKey KeyOf(const v1::Report& report, const v1::Result& result) {
  return {KeyText(report.labels().repository()), KeyText(report.model().path()), KeyText(result.target())};
}

// The ids of the subjects of the reports; locked until the transaction ends, in one order.
absl::StatusOr<std::map<SubjectKey, int64_t>> Subjects(Session& session, absl::Span<const StoredReport> reports) {
  std::map<SubjectKey, int64_t> subjects;
  for (const StoredReport& stored : reports) {
    for (const v1::Result& result : stored.report->results()) subjects[KeyOf(*stored.report, result)] = 0;
  }
  std::vector<std::vector<Value>> rows;
  rows.reserve(subjects.size());
  for (const auto& [key, id] : subjects) {
    rows.push_back({absl::string_view(key[0]), absl::string_view(key[1]), absl::string_view(key[2])});
  }
  absl::Status status = InsertRows(session, "INSERT INTO report_subjects (repository, model_path, target)", rows,
                                   "ON CONFLICT (repository, model_path, target) DO NOTHING");
  if (!status.ok()) return status;
  size_t i = 0;
  for (auto& [key, id] : subjects) {
    absl::StatusOr<Answer> answer = session.Run(
        absl::StrCat("SELECT id FROM report_subjects WHERE repository = $1 AND model_path = $2 AND target = $3",
                     session.dialect().for_update),
        rows[i++]);
    if (!answer.ok()) return answer.status();
    if (answer->rows.empty()) return absl::InternalError("a subject that was inserted is not there");
    id = answer->rows[0].Int(0);
  }
  return subjects;
}

std::map<std::string, int64_t> FamiliesOf(const v1::Result& result) {
  std::map<std::string, int64_t> families;
  for (const v1::Finding& finding : result.findings()) ++families[KeyText(finding.code().substr(0, 2))];
  return families;
}

int64_t CountOf(const v1::Result& result, v1::Finding::Severity severity) {
  return std::count_if(result.findings().begin(), result.findings().end(),
                       [&](const v1::Finding& finding) { return finding.severity() == severity; });
}

// `sign` 1 or -1.
void Count(const v1::Result& result, const Counted& who, int64_t time, int64_t sign, TrendSums& sums) {
  sums.AddVerdict(who, time, result.verdict(), sign);
  for (const auto& [family, findings] : FamiliesOf(result)) {
    sums.AddFindings(who, time, family, sign * findings);
  }
}

}  // namespace

absl::Status Derive(Session& session, absl::Span<const StoredReport> reports) {
  absl::StatusOr<std::map<SubjectKey, int64_t>> subjects = Subjects(session, reports);
  if (!subjects.ok()) return subjects.status();
  // Problems are followed from what is in the store before and after a report. Of those that come together the earlier
  // ones are before, so their own rows can wait until all are followed.
  std::vector<StoredReport> in_time(reports.begin(), reports.end());
  std::sort(in_time.begin(), in_time.end(),
            [](const StoredReport& a, const StoredReport& b) { return a.time < b.time; });
  TrendSums sums;
  std::vector<std::vector<Value>> results;
  std::vector<std::vector<Value>> codes;
  std::set<std::string> texts;  // what the rows point into
  const auto keep = [&](std::string text) { return absl::string_view(*texts.insert(std::move(text)).first); };
  for (const auto& [time, report] : in_time) {
    const absl::string_view branch = keep(KeyText(report->labels().branch()));
    std::set<int64_t> seen;
    for (int i = 0; i < report->results_size(); ++i) {
      const v1::Result& result = report->results(i);
      const auto& [key, subject] = *subjects->find(KeyOf(*report, result));
      const Counted who = {subject, key[0], key[2], branch};
      if (seen.insert(subject).second) {  // a target can be asked about twice
        absl::Status status = FollowProblems(session, who, time, result, sums);
        if (!status.ok()) return status;
        Count(result, who, time, 1, sums);
      }
      results.push_back({time, int64_t{i}, absl::string_view(key[2]), int64_t{result.verdict()}, subject, branch,
                         CountOf(result, v1::Finding::ERROR), CountOf(result, v1::Finding::WARNING),
                         CountOf(result, v1::Finding::INFO)});
      std::set<absl::string_view> distinct;
      for (const v1::Finding& finding : result.findings()) distinct.insert(finding.code());
      for (absl::string_view code : distinct) {
        codes.push_back({time, int64_t{i}, keep(KeyText(code)), absl::string_view(key[2]), branch});
      }
    }
  }
  absl::Status status = InsertRows(session,
                                   "INSERT INTO report_results (time, ordinal, target, verdict, subject, branch, "
                                   "errors, warnings, infos)",
                                   results);
  if (status.ok()) {
    status = InsertRows(session, "INSERT INTO report_codes (time, ordinal, code, target, branch)", codes);
  }
  if (status.ok()) status = sums.Write(session);
  return status;
}

absl::Status Withdraw(Session& session, int64_t time, const v1::Report& report) {
  const StoredReport stored = {time, &report};
  absl::StatusOr<std::map<SubjectKey, int64_t>> subjects = Subjects(session, {&stored, 1});
  if (!subjects.ok()) return subjects.status();
  const std::string branch = KeyText(report.labels().branch());
  TrendSums sums;
  std::set<int64_t> seen;
  for (const v1::Result& result : report.results()) {
    const auto& [key, subject] = *subjects->find(KeyOf(report, result));
    if (!seen.insert(subject).second) continue;
    const Counted who = {subject, key[0], key[2], branch};
    Count(result, who, time, -1, sums);
    if (absl::Status status = ForgetProblems(session, who, time, sums); !status.ok()) return status;
  }
  return sums.Write(session);
}

absl::Status DeriveAll(Session& session) {
  constexpr size_t kMostAtOnce = 1000;
  constexpr size_t kMostBytesAtOnce = size_t{16} << 20;
  absl::Status status = session.Execute("DELETE FROM report_codes; DELETE FROM report_results");
  int64_t after = std::numeric_limits<int64_t>::min();
  bool is_last = false;
  while (status.ok() && !is_last) {
    std::deque<v1::Report> reports;
    std::vector<StoredReport> stored;
    size_t bytes = 0;
    while (stored.size() < kMostAtOnce && bytes < kMostBytesAtOnce) {
      absl::StatusOr<Answer> next =
          session.Run("SELECT time, body FROM report_bodies WHERE time > $1 ORDER BY time LIMIT 1", {after});
      if (!next.ok()) return next.status();
      is_last = next->rows.empty();
      if (is_last) break;
      const Row& row = next->rows[0];
      after = row.Int(0);
      v1::Report& report = reports.emplace_back();
      if (!report.ParseFromString(row.Bytes(1))) {
        return absl::DataLossError(absl::StrCat(session.name(), ": a stored report cannot be read"));
      }
      bytes += row.Bytes(1).size();
      const std::string path = KeyText(report.model().path());
      const std::string sha256 = KeyText(report.model().sha256());
      if (path != report.model().path() || sha256 != report.model().sha256()) {
        status = session
                     .Run("UPDATE reports SET model_path = $1, model_sha256 = $2 WHERE time = $3",
                          {absl::string_view(path), absl::string_view(sha256), after})
                     .status();
        if (!status.ok()) return status;
      }
      stored.push_back({after, &report});
    }
    status = Derive(session, stored);
  }
  return status;
}

}  // namespace quantgate::db::reports
