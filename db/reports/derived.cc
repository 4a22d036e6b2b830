#include "db/reports/derived.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/reports/key_text.h"
#include "db/reports/problems.h"
#include "db/reports/trends.h"

namespace quantgate::db::reports {
namespace {

// The ids of the subjects of a report, by key text of the target; locked until the transaction ends, in one order.
absl::StatusOr<std::map<std::string, int64_t>> Subjects(Session& session, const v1::Report& report) {
  std::map<std::string, int64_t> subjects;
  for (const v1::Result& result : report.results()) subjects[KeyText(result.target())] = 0;
  const std::string repository = KeyText(report.labels().repository());
  const std::string path = KeyText(report.model().path());
  std::vector<std::vector<Value>> rows;
  for (const auto& [target, id] : subjects) {
    rows.push_back({absl::string_view(repository), absl::string_view(path), absl::string_view(target)});
  }
  absl::Status status = InsertRows(session, "INSERT INTO report_subjects (repository, model_path, target)", rows,
                                   "ON CONFLICT (repository, model_path, target) DO NOTHING");
  if (!status.ok()) return status;
  for (auto& [target, id] : subjects) {
    absl::StatusOr<Answer> answer = session.Run(
        absl::StrCat("SELECT id FROM report_subjects WHERE repository = $1 AND model_path = $2 AND target = $3",
                     session.dialect().for_update),
        {absl::string_view(repository), absl::string_view(path), absl::string_view(target)});
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

absl::Status Derive(Session& session, int64_t time, const v1::Report& report) {
  absl::StatusOr<std::map<std::string, int64_t>> subjects = Subjects(session, report);
  if (!subjects.ok()) return subjects.status();
  const std::string repository = KeyText(report.labels().repository());
  const std::string branch = KeyText(report.labels().branch());
  TrendSums sums;
  std::vector<std::vector<Value>> results;
  std::vector<std::vector<Value>> codes;
  std::set<std::string> code_texts;  // what `codes` points into
  std::set<int64_t> seen;
  for (int i = 0; i < report.results_size(); ++i) {
    const v1::Result& result = report.results(i);
    const auto subject = subjects->find(KeyText(result.target()));
    const Counted who = {subject->second, repository, subject->first, branch};
    if (seen.insert(subject->second).second) {
      absl::Status status = FollowProblems(session, who, time, result, sums);
      if (!status.ok()) return status;
    }
    results.push_back({time, int64_t{i}, absl::string_view(subject->first), int64_t{result.verdict()}, subject->second,
                       absl::string_view(branch), CountOf(result, v1::Finding::ERROR),
                       CountOf(result, v1::Finding::WARNING), CountOf(result, v1::Finding::INFO)});
    std::set<absl::string_view> distinct;
    for (const v1::Finding& finding : result.findings()) distinct.insert(finding.code());
    for (absl::string_view code : distinct) {
      codes.push_back({time, int64_t{i}, absl::string_view(*code_texts.insert(KeyText(code)).first)});
    }
    Count(result, who, time, 1, sums);
  }
  absl::Status status = InsertRows(session,
                                   "INSERT INTO report_results (time, ordinal, target, verdict, subject, branch, "
                                   "errors, warnings, infos)",
                                   results);
  if (status.ok()) status = InsertRows(session, "INSERT INTO report_codes (time, ordinal, code)", codes);
  if (status.ok()) status = sums.Write(session);
  return status;
}

absl::Status Withdraw(Session& session, int64_t time, const v1::Report& report) {
  absl::StatusOr<std::map<std::string, int64_t>> subjects = Subjects(session, report);
  if (!subjects.ok()) return subjects.status();
  const std::string repository = KeyText(report.labels().repository());
  const std::string branch = KeyText(report.labels().branch());
  TrendSums sums;
  for (const v1::Result& result : report.results()) {
    const auto subject = subjects->find(KeyText(result.target()));
    Count(result, {subject->second, repository, subject->first, branch}, time, -1, sums);
  }
  return sums.Write(session);
}

absl::Status DeriveAll(Session& session) {
  absl::Status status = session.Execute("DELETE FROM report_codes; DELETE FROM report_results");
  int64_t after = std::numeric_limits<int64_t>::min();
  while (status.ok()) {
    absl::StatusOr<Answer> next =
        session.Run("SELECT time, body FROM report_bodies WHERE time > $1 ORDER BY time LIMIT 1", {after});
    if (!next.ok()) return next.status();
    if (next->rows.empty()) return absl::OkStatus();
    after = next->rows[0].Int(0);
    v1::Report report;
    if (!report.ParseFromString(next->rows[0].Bytes(1))) {
      return absl::DataLossError(absl::StrCat(session.name(), ": a stored report cannot be read"));
    }
    const std::string path = KeyText(report.model().path());
    const std::string sha256 = KeyText(report.model().sha256());
    if (path != report.model().path() || sha256 != report.model().sha256()) {
      status = session
                   .Run("UPDATE reports SET model_path = $1, model_sha256 = $2 WHERE time = $3",
                        {absl::string_view(path), absl::string_view(sha256), after})
                   .status();
    }
    if (status.ok()) status = Derive(session, after, report);
  }
  return status;
}

}  // namespace quantgate::db::reports
