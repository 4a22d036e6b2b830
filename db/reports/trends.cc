#include "db/reports/trends.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "db/reports/subject_filter.h"
#include "google/protobuf/util/time_util.h"

namespace quantgate::db::reports {
namespace {

using google::protobuf::util::TimeUtil;

constexpr int64_t kNanosPerDay = int64_t{86400} * 1'000'000'000;
constexpr int64_t kMaxPoints = 1000;
// Scopes of sums, and what is in the place of a branch where all count.
constexpr absl::string_view kAll = "all";
constexpr absl::string_view kAllBranches = "all";
std::string RepositoryScope(absl::string_view repository) { return absl::StrCat("repository ", repository); }
std::string TargetScope(absl::string_view target) { return absl::StrCat("target ", target); }
// Also in SQL, in the migration that added it.
std::string RepositoryTargetScope(absl::string_view repository, absl::string_view target) {
  return absl::StrCat("both ", target, " / ", repository);
}
std::string OneBranch(absl::string_view branch) { return absl::StrCat("branch ", branch); }
// Also in SQL, below.
std::string SubjectScope(int64_t subject) { return absl::StrCat("subject ", subject); }

constexpr absl::string_view kVerdict = "verdict/";
constexpr absl::string_view kFindings = "findings/";
constexpr absl::string_view kFixed = "fixed/";
constexpr absl::string_view kFixMicros = "fix_micros/";  // nanoseconds would leave 64 bits after 300 years together

int64_t DayOf(int64_t nanos) { return nanos / kNanosPerDay - (nanos % kNanosPerDay < 0 ? 1 : 0); }

// 1970-01-01 was a Thursday.
int64_t MondayBefore(int64_t day) {
  const int64_t weekday = ((day + 3) % 7 + 7) % 7;
  return day - weekday;
}

// What one point counts, by metric.
using Amounts = std::map<std::string, int64_t>;

void FillPoint(const Amounts& amounts, v1::TrendPoint& point) {
  std::map<std::string, v1::FamilyTrend> families;
  std::map<std::string, int64_t> micros;
  for (const auto& [metric, amount] : amounts) {
    absl::string_view rest = metric;
    int verdict = 0;
    if (absl::ConsumePrefix(&rest, kVerdict)) {
      if (amount <= 0 || !absl::SimpleAtoi(rest, &verdict)) continue;
      v1::VerdictCount& count = *point.add_verdicts();
      count.set_verdict(static_cast<v1::Result::Verdict>(verdict));
      count.set_results(amount);
      point.set_results(point.results() + amount);
    } else if (absl::ConsumePrefix(&rest, kFindings)) {
      families[std::string(rest)].set_findings(amount);
    } else if (absl::ConsumePrefix(&rest, kFixed)) {
      families[std::string(rest)].set_fixed(amount);
    } else if (absl::ConsumePrefix(&rest, kFixMicros)) {
      micros[std::string(rest)] = amount;
    }
  }
  for (auto& [name, family] : families) {
    if (family.findings() <= 0 && family.fixed() <= 0) continue;
    family.set_family(name);
    if (family.fixed() > 0) {
      family.set_mean_seconds_to_fix(static_cast<double>(micros[name]) / 1e6 / static_cast<double>(family.fixed()));
    }
    *point.add_families() = family;
  }
}

struct Range {
  int64_t first = 0, last = 0;  // days, both included
  int64_t step = 1;
};

absl::StatusOr<Range> RangeOf(const v1::GetTrendsRequest& request, int64_t now) {
  Range range;
  if (!v1::GetTrendsRequest::Step_IsValid(request.step())) {
    return absl::InvalidArgumentError(
        absl::StrCat("step: ", static_cast<int>(request.step()), " is none; STEP_DAY is 1, STEP_WEEK is 2"));
  }
  const bool weeks = request.step() == v1::GetTrendsRequest::STEP_WEEK;
  // What a nanosecond count of 64 bits can say: the years 1678 to 2262.
  constexpr int64_t kMostSeconds = int64_t{106751} * 86400;
  const auto day_of = [&](const google::protobuf::Timestamp& time, const char* name) -> absl::StatusOr<int64_t> {
    if (time.seconds() < -kMostSeconds || time.seconds() > kMostSeconds) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": is not in the years 1678 to 2262"));
    }
    return DayOf(time.seconds() * 1'000'000'000);
  };
  range.last = DayOf(now);
  if (request.has_end_time()) {
    absl::StatusOr<int64_t> day = day_of(request.end_time(), "end_time");
    if (!day.ok()) return day.status();
    range.last = *day;
  }
  range.first = range.last - (weeks ? 52 * 7 : 30);
  if (request.has_start_time()) {
    absl::StatusOr<int64_t> day = day_of(request.start_time(), "start_time");
    if (!day.ok()) return day.status();
    range.first = *day;
  }
  if (range.first > range.last) return absl::InvalidArgumentError("start_time: is after the end");
  range.step = weeks ? 7 : 1;
  if (weeks) range.first = MondayBefore(range.first);
  const int64_t points = (range.last - range.first) / range.step + 1;
  if (points > kMaxPoints) {
    return absl::InvalidArgumentError(absl::StrCat("start_time: ", points, " points; at most ", kMaxPoints));
  }
  return range;
}

// The scopes that count just what the filter asks for. None: it has to be put together from subjects.
std::vector<std::string> ScopesOf(const SubjectFilter& filter) {
  if (!filter.model_paths.empty() || filter.repositories.size() > 1) return {};
  if (!filter.targets.has_value()) {
    return {filter.repositories.empty() ? std::string(kAll) : RepositoryScope(filter.repositories[0])};
  }
  std::vector<std::string> scopes;
  for (const std::string& target : *filter.targets) {
    scopes.push_back(filter.repositories.empty() ? TargetScope(target)
                                                 : RepositoryTargetScope(filter.repositories[0], target));
  }
  return scopes;
}

}  // namespace

void TrendSums::Add(const Counted& who, int64_t time, const std::string& metric, int64_t amount) {
  const int64_t day = DayOf(time);
  for (std::string& branch : std::array{OneBranch(who.branch), std::string(kAllBranches)}) {
    for (std::string& scope :
         std::array{SubjectScope(who.subject), RepositoryScope(who.repository), TargetScope(who.target),
                    RepositoryTargetScope(who.repository, who.target), std::string(kAll)}) {
      sums_[{std::move(scope), branch, day, metric}] += amount;
    }
  }
}

void TrendSums::AddVerdict(const Counted& who, int64_t time, int verdict, int64_t amount) {
  Add(who, time, absl::StrCat(kVerdict, verdict), amount);
}

void TrendSums::AddFindings(const Counted& who, int64_t time, absl::string_view family, int64_t amount) {
  Add(who, time, absl::StrCat(kFindings, family), amount);
}

void TrendSums::AddFixed(const Counted& who, int64_t time, absl::string_view family, int64_t amount) {
  Add(who, time, absl::StrCat(kFixed, family), amount);
}

void TrendSums::AddFixTime(const Counted& who, int64_t time, absl::string_view family, int64_t nanos) {
  Add(who, time, absl::StrCat(kFixMicros, family), nanos / 1000);
}

absl::Status TrendSums::Write(Session& session) const {
  std::vector<std::vector<Value>> rows;
  for (const auto& [key, amount] : sums_) {
    if (amount == 0) continue;
    const auto& [scope, branch, day, metric] = key;
    rows.push_back({absl::string_view(scope), absl::string_view(branch), day, absl::string_view(metric), amount});
  }
  return InsertRows(session, "INSERT INTO report_trends (scope, branch, day, metric, amount)", rows,
                    "ON CONFLICT (scope, branch, day, metric) DO UPDATE SET amount = report_trends.amount + "
                    "excluded.amount");
}

absl::Status ReadTrends(Session& session, const v1::GetTrendsRequest& request, int64_t now,
                        v1::GetTrendsResponse& response) {
  absl::StatusOr<SubjectFilter> filter = ParseSubjectFilter(session, request.filter(), 1);
  if (!filter.ok()) return filter.status();
  absl::StatusOr<Range> range = RangeOf(request, now);
  if (!range.ok()) return range.status();

  std::vector<Value> values;
  std::string scopes;
  const std::vector<std::string> own = ScopesOf(*filter);
  if (own.empty()) {
    scopes = absl::StrCat("SELECT 'subject ' || id FROM report_subjects WHERE id > 0", filter->sql);
    for (const std::string& value : filter->values) values.emplace_back(absl::string_view(value));
  } else {
    scopes = absl::StrJoin(own, ", ", [&](std::string* out, const std::string& scope) {
      values.emplace_back(absl::string_view(scope));
      absl::StrAppend(out, "$", values.size());
    });
  }
  const std::string branch = filter->branch.has_value() ? OneBranch(*filter->branch) : std::string(kAllBranches);
  const size_t next = values.size() + 1;
  values.insert(values.end(), {absl::string_view(branch), range->first, range->last});
  absl::StatusOr<Answer> answer =
      session.Run(absl::StrCat("SELECT day, metric, CAST(sum(amount) AS BIGINT) FROM report_trends WHERE scope IN (",
                               scopes, ") AND branch = $", next, " AND day >= $", next + 1, " AND day <= $", next + 2,
                               " GROUP BY day, metric"),
                  values);
  if (!answer.ok()) return answer.status();

  std::vector<Amounts> points((range->last - range->first) / range->step + 1);
  for (const Row& row : answer->rows) {
    points[(row.Int(0) - range->first) / range->step][row.Bytes(1)] += row.Int(2);
  }
  for (size_t i = 0; i < points.size(); ++i) {
    v1::TrendPoint& point = *response.add_points();
    *point.mutable_start_time() =
        TimeUtil::SecondsToTimestamp((range->first + static_cast<int64_t>(i) * range->step) * 86400);
    FillPoint(points[i], point);
  }
  return absl::OkStatus();
}

}  // namespace quantgate::db::reports
