// Sums per day, kept while reports arrive, so that a trend over a million reports reads a few rows.
#ifndef QUANTGATE_DB_REPORTS_TRENDS_H_
#define QUANTGATE_DB_REPORTS_TRENDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "db/reports/session.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate::db::reports {

// Who is counted: a subject and what it is part of. Texts are key texts, and outlive it.
struct Counted {
  int64_t subject;
  absl::string_view repository;
  absl::string_view target;
  absl::string_view branch;
};

// What one transaction adds to the sums: those of the subject, of its repository, of its target, of both together and
// of all, each on the branch and on all branches. `time` in nanoseconds since 1970.
class TrendSums {
 public:
  void AddVerdict(const Counted& who, int64_t time, int verdict, int64_t amount);
  void AddFindings(const Counted& who, int64_t time, absl::string_view family, int64_t amount);
  // Findings that ended, and what they took together.
  void AddFixed(const Counted& who, int64_t time, absl::string_view family, int64_t amount);
  void AddFixTime(const Counted& who, int64_t time, absl::string_view family, int64_t nanos);

  absl::Status Write(Session& session) const;

 private:
  void Add(const Counted& who, int64_t time, const std::string& metric, int64_t amount);

  // Ordered: transactions lock the rows of several subjects in one order. Scope, branch, day, metric.
  std::map<std::tuple<std::string, std::string, int64_t, std::string>, int64_t> sums_;
};

// `now` in nanoseconds. INVALID_ARGUMENT: "filter: ...", "start_time: ...".
absl::Status ReadTrends(Session& session, const v1::GetTrendsRequest& request, int64_t now,
                        v1::GetTrendsResponse& response);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_TRENDS_H_
