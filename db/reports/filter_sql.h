// Filters as SQL over the tables of schema.h. Values are always bound, never part of the text.
#ifndef QUANTGATE_DB_REPORTS_FILTER_SQL_H_
#define QUANTGATE_DB_REPORTS_FILTER_SQL_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "db/reports/filter.h"
#include "db/reports/session.h"

namespace quantgate::db {

struct ListSql {
  std::string text;
  std::vector<std::variant<int64_t, std::string>> values;  // in the order of the parameters
};

// Selects (time, bytes) of the matching reports older than `before` (nanoseconds), newest first: bytes of the summary
// or, when `full`, of the whole report. A report with several matching results comes several times in a row. At most
// `limit` rows.
ListSql BuildListSql(absl::Span<const Condition> conditions, int64_t before, bool full, int limit,
                     const reports::Dialect& dialect);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_FILTER_SQL_H_
