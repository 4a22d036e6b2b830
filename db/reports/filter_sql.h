// Filters as SQL over the tables of schema.h. Values are always bound, never part of the text.
//
// A listing walks one index, newest first, and looks at whatever else the filter says of each row. How many rows that
// takes depends on the index: of `labels.branch = main AND code = DT101` the code may be rare, or the branch, or both
// common and never together. So each index is asked first how far its next rows reach (BuildReachSql); the one whose
// rows are fewest, or reach furthest back, is walked.
#ifndef QUANTGATE_DB_REPORTS_FILTER_SQL_H_
#define QUANTGATE_DB_REPORTS_FILTER_SQL_H_

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "db/reports/filter.h"
#include "db/reports/session.h"

namespace quantgate::db {

// An index whose rows are in the order of time behind the columns that equalities fix.
struct Walk {
  enum Table { kReports, kResults, kCodes };
  Table table = kReports;
  std::vector<const Condition*> fixed;  // of the filter; empty: the table's own key
};

// Nanoseconds: from <= time < before.
struct TimeRange {
  int64_t from = std::numeric_limits<int64_t>::min();
  int64_t before = std::numeric_limits<int64_t>::max();
};

struct ListSql {
  std::string text;
  std::vector<std::variant<int64_t, std::string>> values;  // in the order of the parameters

  // What a session takes; it refers to `values`.
  std::vector<reports::Value> Bound() const;
};

// Takes the conditions on create_time that a range can say out of the filter, into `range`.
void TakeTimeRange(std::vector<Condition>& conditions, TimeRange& range);

// The indexes that the filter can use, at least one; none of them fixes only what another one fixes as well. They point
// into `conditions`.
std::vector<Walk> WalksFor(absl::Span<const Condition> conditions);

// Every row of the walk matches.
bool IsExact(absl::Span<const Condition> conditions, const Walk& walk);

// One row: how many rows there are, at most `rows`, and the oldest time among these.
ListSql BuildReachSql(const Walk& walk, const TimeRange& range, int rows);

// Selects (time, bytes) of the matching reports, newest first: bytes of the summary or, when `full`, of the whole
// report. A report with several matching results comes several times in a row. At most `limit` rows.
ListSql BuildListSql(absl::Span<const Condition> conditions, const Walk& walk, const TimeRange& range, bool full,
                     int limit, const reports::Dialect& dialect);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_FILTER_SQL_H_
