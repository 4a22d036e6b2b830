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

// What one transaction adds to the sums.
class TrendSums {
 public:
  // `time` in nanoseconds since 1970. Also added to what all subjects have, on that branch and on all.
  void AddVerdict(int64_t subject, absl::string_view branch, int64_t time, int verdict, int64_t amount);
  void AddFindings(int64_t subject, absl::string_view branch, int64_t time, absl::string_view family, int64_t amount);
  // Findings that ended, and what they took together.
  void AddFixed(int64_t subject, absl::string_view branch, int64_t time, absl::string_view family, int64_t amount);
  void AddFixTime(int64_t subject, absl::string_view branch, int64_t time, absl::string_view family, int64_t nanos);

  absl::Status Write(Session& session) const;

 private:
  void Add(int64_t subject, absl::string_view branch, int64_t time, std::string metric, int64_t amount);

  // Ordered: transactions lock the rows of several subjects in one order. Subject, day, branch, metric.
  std::map<std::tuple<int64_t, int64_t, std::string, std::string>, int64_t> sums_;
};

// `now` in nanoseconds. INVALID_ARGUMENT: "filter: ...", "start_time: ...".
absl::Status ReadTrends(Session& session, const v1::GetTrendsRequest& request, int64_t now,
                        v1::GetTrendsResponse& response);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_TRENDS_H_
