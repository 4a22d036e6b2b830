#include "db/reports/filter_sql.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace quantgate::db {
namespace {

const char* OperatorSql(Condition::Operator op) {
  switch (op) {
    case Condition::kEqual:
      return " = ?";
    case Condition::kNotEqual:
      return " <> ?";
    case Condition::kLess:
      return " < ?";
    case Condition::kLessEqual:
      return " <= ?";
    case Condition::kGreater:
      return " > ?";
    case Condition::kGreaterEqual:
      return " >= ?";
  }
  return " = ?";
}

bool IsAboutResult(const Condition& c) {
  return c.field == Condition::kTarget || c.field == Condition::kVerdict || c.field == Condition::kCode;
}

// The table that is walked, newest first. Every one of its indexes that an equality can use is ordered by time, so no
// choice sorts; CROSS JOIN keeps SQLite from choosing another order.
enum class Driver { kReports, kResults, kCodes };

Driver ChooseDriver(absl::Span<const Condition> conditions) {
  Driver driver = Driver::kReports;
  for (const Condition& c : conditions) {
    if (c.op != Condition::kEqual || c.field == Condition::kCreateTime) continue;
    if (!IsAboutResult(c)) return Driver::kReports;  // one model's reports: the narrowest set
    if (c.field == Condition::kCode) {
      driver = Driver::kCodes;
    } else if (driver == Driver::kReports) {
      driver = Driver::kResults;
    }
  }
  return driver;
}

}  // namespace

ListSql BuildListSql(absl::Span<const Condition> conditions, int64_t before, bool full) {
  const Driver driver = ChooseDriver(conditions);
  const bool needs_result = std::any_of(conditions.begin(), conditions.end(), IsAboutResult);
  std::string key;
  ListSql sql;
  std::string from;
  switch (driver) {
    case Driver::kReports:
      key = "r.time";
      from = "reports r";
      if (needs_result) from += " CROSS JOIN report_results t ON t.time = r.time";
      break;
    case Driver::kResults:
      key = "t.time";
      from = "report_results t CROSS JOIN reports r ON r.time = t.time";
      break;
    case Driver::kCodes:
      key = "c.time";
      from =
          "report_codes c CROSS JOIN report_results t ON t.time = c.time AND t.ordinal = c.ordinal"
          " CROSS JOIN reports r ON r.time = c.time";
      break;
  }
  // Bodies are joined last: only rows that match reach them.
  if (full) from += " CROSS JOIN report_bodies b ON b.time = r.time";
  sql.text = absl::StrCat("SELECT r.time, ", full ? "b.body" : "r.summary", " FROM ", from, " WHERE ", key, " < ?");
  sql.values.emplace_back(before);

  bool code_drives = driver == Driver::kCodes;
  // Where another table is walked, a result is found by its key. The unary plus hides the column from SQLite's planner,
  // which would otherwise read every older result with that verdict for each report.
  const char* result_column = driver == Driver::kResults ? "t." : "+t.";
  for (const Condition& c : conditions) {
    const char* op = OperatorSql(c.op);
    switch (c.field) {
      case Condition::kModelPath:
        absl::StrAppend(&sql.text, " AND r.model_path", op);
        break;
      case Condition::kModelSha256:
        absl::StrAppend(&sql.text, " AND r.model_sha256", op);
        break;
      case Condition::kGraphDigest:
        absl::StrAppend(&sql.text, " AND r.graph_digest", op);
        break;
      case Condition::kTarget:
        absl::StrAppend(&sql.text, " AND ", result_column, "target", op);
        break;
      case Condition::kVerdict:
        absl::StrAppend(&sql.text, " AND ", result_column, "verdict", op);
        break;
      case Condition::kCreateTime:
        absl::StrAppend(&sql.text, " AND ", key, op);
        break;
      case Condition::kCode:
        if (c.op == Condition::kEqual && code_drives) {
          sql.text += " AND c.code = ?";
          code_drives = false;  // the first one; further ones are looked up
        } else {
          absl::StrAppend(&sql.text, c.op == Condition::kEqual ? " AND " : " AND NOT ",
                          "EXISTS (SELECT 1 FROM report_codes x WHERE x.time = t.time AND x.ordinal = t.ordinal"
                          " AND x.code = ?)");
        }
        break;
    }
    if (c.field == Condition::kVerdict || c.field == Condition::kCreateTime) {
      sql.values.emplace_back(c.number);
    } else {
      sql.values.emplace_back(c.text);
    }
  }
  absl::StrAppend(&sql.text, " ORDER BY ", key, " DESC");
  return sql;
}

}  // namespace quantgate::db
