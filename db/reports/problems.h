// How long findings last: each error or warning of a subject on a branch, from the first report that has it to the
// first without. Reports may come in any order of time.
#ifndef QUANTGATE_DB_REPORTS_PROBLEMS_H_
#define QUANTGATE_DB_REPORTS_PROBLEMS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "db/reports/session.h"
#include "db/reports/trends.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db::reports {

// Within the transaction that inserts a report at `time`, before its row of report_results is there; adds to `sums`
// what has ended. Of more than 1,000 errors and warnings those with the smallest fingerprints are followed: a sample
// that is the same in every report.
absl::Status FollowProblems(Session& session, const Counted& who, int64_t time, const v1::Result& result,
                            TrendSums& sums);

// Within the transaction that deletes the report at `time`, while its row of report_results is there: what would be
// known had it never come, of the reports before and after it. Where these are gone, or follow a part only, what ended
// with it ends with the next one.
absl::Status ForgetProblems(Session& session, const Counted& who, int64_t time, TrendSums& sums);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_PROBLEMS_H_
