#include "db/reports/problems.h"

#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "db/reports/fingerprint.h"
#include "db/reports/key_text.h"

namespace quantgate::db::reports {
namespace {

constexpr size_t kMaxFollowed = 1000;
// End of what has not ended.
constexpr int64_t kOpen = std::numeric_limits<int64_t>::max();

struct Span {
  std::string family;
  int64_t started = 0;
  int64_t ended = 0;
};

// Fingerprint to family, the smallest first.
struct Followed {
  std::map<std::string, std::string> problems;
  std::string beyond;  // nothing is known of fingerprints above it; empty: all are known
};

Followed Follow(const v1::Result& result) {
  Followed followed;
  const std::vector<std::string> fingerprints = Fingerprints(result);
  for (int i = 0; i < result.findings_size(); ++i) {
    const v1::Finding& finding = result.findings(i);
    if (finding.severity() != v1::Finding::ERROR && finding.severity() != v1::Finding::WARNING) continue;
    followed.problems[fingerprints[i]] = KeyText(finding.code().substr(0, 2));
    if (followed.problems.size() > kMaxFollowed) {
      followed.problems.erase(std::prev(followed.problems.end()));
      followed.beyond = followed.problems.rbegin()->first;
    }
  }
  return followed;
}

// Time of the subject's next report on the branch; kOpen: none.
absl::StatusOr<int64_t> NextReport(Session& session, int64_t subject, absl::string_view branch, int64_t time) {
  absl::StatusOr<Answer> answer = session.Run(
      "SELECT time FROM report_results WHERE subject = $1 AND branch = $2 AND time > $3 ORDER BY time LIMIT 1",
      {subject, branch, time});
  if (!answer.ok()) return answer.status();
  return answer->rows.empty() ? kOpen : answer->rows[0].Int(0);
}

}  // namespace

absl::Status FollowProblems(Session& session, const Counted& who, int64_t time, const v1::Result& result,
                            TrendSums& sums) {
  const int64_t subject = who.subject;
  const absl::string_view branch = who.branch;
  const Followed now = Follow(result);
  absl::StatusOr<int64_t> next = NextReport(session, subject, branch, time);
  if (!next.ok()) return next.status();
  absl::StatusOr<Answer> known = session.Run(
      "SELECT fingerprint, family, started, ended FROM report_problems WHERE subject = $1 AND branch = $2 AND ended > "
      "$3",
      {subject, branch, time});
  if (!known.ok()) return known.status();

  std::map<std::string, Span> lasting;   // had before this report, and not ended yet by then
  std::map<std::string, Span> starting;  // had first by the next report
  for (const Row& row : known->rows) {
    Span span{row.Bytes(1), row.Int(2), row.Int(3)};
    if (span.started <= time) {
      lasting.emplace(row.Bytes(0), std::move(span));
    } else if (span.started == *next) {
      starting.emplace(row.Bytes(0), std::move(span));
    }
  }

  std::vector<std::vector<Value>> inserted;
  const auto run = [&](const char* sql, absl::Span<const Value> values) { return session.Run(sql, values).status(); };
  for (const auto& [fingerprint, family] : now.problems) {
    if (lasting.count(fingerprint) > 0) continue;
    const auto later = starting.find(fingerprint);
    if (later == starting.end()) {
      inserted.push_back({subject, branch, absl::string_view(fingerprint), absl::string_view(family), time, *next});
      if (*next == kOpen) continue;
      sums.AddFixed(who, *next, family, 1);
      sums.AddFixTime(who, *next, family, *next - time);
      continue;
    }
    // It was there earlier than was known.
    absl::Status status = run(
        "UPDATE report_problems SET started = $1 WHERE subject = $2 AND branch = $3 AND fingerprint = $4 AND started = "
        "$5",
        {time, subject, branch, absl::string_view(fingerprint), *next});
    if (!status.ok()) return status;
    if (later->second.ended != kOpen) sums.AddFixTime(who, later->second.ended, family, *next - time);
  }
  for (const auto& [fingerprint, span] : lasting) {
    if (now.problems.count(fingerprint) > 0 || (!now.beyond.empty() && fingerprint > now.beyond)) continue;
    absl::Status status = run(
        "UPDATE report_problems SET ended = $1 WHERE subject = $2 AND branch = $3 AND fingerprint = $4 AND started = "
        "$5",
        {time, subject, branch, absl::string_view(fingerprint), span.started});
    if (!status.ok()) return status;
    sums.AddFixed(who, time, span.family, 1);
    sums.AddFixTime(who, time, span.family, time - span.started);
    if (*next == kOpen) continue;
    if (span.ended == *next) {
      // It ended now, not with the next report.
      sums.AddFixed(who, *next, span.family, -1);
      sums.AddFixTime(who, *next, span.family, span.started - *next);
      continue;
    }
    // The next report has it again.
    inserted.push_back(
        {subject, branch, absl::string_view(fingerprint), absl::string_view(span.family), *next, span.ended});
    if (span.ended != kOpen) sums.AddFixTime(who, span.ended, span.family, span.started - *next);
  }
  return InsertRows(session, "INSERT INTO report_problems (subject, branch, fingerprint, family, started, ended)",
                    inserted);
}

absl::Status ForgetProblems(Session& session, const Counted& who, int64_t time, TrendSums& sums) {
  const int64_t subject = who.subject;
  const absl::string_view branch = who.branch;
  absl::StatusOr<int64_t> next = NextReport(session, subject, branch, time);
  if (!next.ok()) return next.status();
  absl::StatusOr<Answer> known = session.Run(
      "SELECT fingerprint, family, started, ended FROM report_problems WHERE subject = $1 AND branch = $2 AND ended >= "
      "$3",
      {subject, branch, time});
  if (!known.ok()) return known.status();

  std::map<std::string, Span> started, ended;  // with this report
  std::map<std::string, Span> starting;        // with the next one
  for (const Row& row : known->rows) {
    Span span{row.Bytes(1), row.Int(2), row.Int(3)};
    std::map<std::string, Span>* where = span.ended == time      ? &ended
                                         : span.started == time  ? &started
                                         : span.started == *next ? &starting
                                                                 : nullptr;
    if (where != nullptr) where->emplace(row.Bytes(0), std::move(span));
  }

  const auto fix = [&](int64_t end, const std::string& family, int64_t amount, int64_t nanos) {
    if (end == kOpen) return;
    sums.AddFixed(who, end, family, amount);
    sums.AddFixTime(who, end, family, nanos);
  };
  const auto forget = [&](const std::string& fingerprint, int64_t start) {
    return session
        .Run("DELETE FROM report_problems WHERE subject = $1 AND branch = $2 AND fingerprint = $3 AND started = $4",
             {subject, branch, absl::string_view(fingerprint), start})
        .status();
  };
  std::vector<std::vector<Value>> inserted;
  const auto keep = [&](const std::string& fingerprint, const std::string& family, int64_t start, int64_t end) {
    inserted.push_back({subject, branch, absl::string_view(fingerprint), absl::string_view(family), start, end});
  };
  for (const auto& [fingerprint, span] : started) {
    if (absl::Status status = forget(fingerprint, time); !status.ok()) return status;
    const bool is_of_next = *next != kOpen && span.ended != *next;
    if (is_of_next) {
      keep(fingerprint, span.family, *next, span.ended);
      fix(span.ended, span.family, 0, time - *next);
    } else {
      fix(span.ended, span.family, -1, time - span.ended);
    }
  }
  for (const auto& [fingerprint, span] : ended) {
    if (absl::Status status = forget(fingerprint, span.started); !status.ok()) return status;
    fix(time, span.family, -1, span.started - time);
    const auto again = starting.find(fingerprint);
    if (again == starting.end()) {
      keep(fingerprint, span.family, span.started, *next);
      fix(*next, span.family, 1, *next - span.started);
      continue;
    }
    if (absl::Status status = forget(fingerprint, *next); !status.ok()) return status;
    keep(fingerprint, span.family, span.started, again->second.ended);
    fix(again->second.ended, span.family, 0, *next - span.started);
  }
  return InsertRows(session, "INSERT INTO report_problems (subject, branch, fingerprint, family, started, ended)",
                    inserted);
}

}  // namespace quantgate::db::reports
