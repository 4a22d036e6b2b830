#include "db/reports/filter_sql.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "db/reports/key_text.h"

namespace quantgate::db {
namespace {

// Of the column, with the parameter left out.
const char* OperatorSql(Condition::Operator op) {
  switch (op) {
    case Condition::kEqual:
      return " = $";
    case Condition::kNotEqual:
      return " <> $";
    case Condition::kLess:
      return " < $";
    case Condition::kLessEqual:
      return " <= $";
    case Condition::kGreater:
      return " > $";
    case Condition::kGreaterEqual:
      return " >= $";
  }
  return " = $";
}

bool IsAboutResult(const Condition& c) {
  return c.field == Condition::kTarget || c.field == Condition::kVerdict || c.field == Condition::kCode;
}

// The table that is walked, newest first. Every one of its indexes that an equality can use is ordered by time, so no
// choice sorts; Dialect::joined keeps the database from choosing another order.
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

ListSql BuildListSql(absl::Span<const Condition> conditions, int64_t before, bool full, int limit,
                     const reports::Dialect& dialect) {
  const Driver driver = ChooseDriver(conditions);
  const bool needs_result = std::any_of(conditions.begin(), conditions.end(), IsAboutResult);
  std::string key;
  ListSql sql;
  std::string from;
  switch (driver) {
    case Driver::kReports:
      key = "r.time";
      from = "reports r";
      if (needs_result) absl::StrAppend(&from, dialect.joined, "report_results t ON t.time = r.time");
      break;
    case Driver::kResults:
      key = "t.time";
      from = absl::StrCat("report_results t", dialect.joined, "reports r ON r.time = t.time");
      break;
    case Driver::kCodes:
      key = "c.time";
      from = absl::StrCat("report_codes c", dialect.joined,
                          "report_results t ON t.time = c.time AND t.ordinal = c.ordinal", dialect.joined,
                          "reports r ON r.time = c.time");
      break;
  }
  // Bodies are joined last: only rows that match reach them.
  if (full) absl::StrAppend(&from, dialect.joined, "report_bodies b ON b.time = r.time");
  sql.text =
      absl::StrCat("SELECT r.time, length(", full ? "b.body" : "r.summary", ") FROM ", from, " WHERE ", key, " < $1");
  sql.values.emplace_back(before);

  bool code_drives = driver == Driver::kCodes;
  // Where another table is walked, a result is found by its key, and its other columns are hidden from a planner that
  // would otherwise read every older result with that verdict for each report.
  const char* hidden = driver == Driver::kResults ? "" : dialect.hidden;
  for (const Condition& c : conditions) {
    const std::string value = absl::StrCat(OperatorSql(c.op), sql.values.size() + 1);
    const auto on = [&](absl::string_view column) { absl::StrAppend(&sql.text, " AND ", column, value); };
    switch (c.field) {
      case Condition::kModelPath:
        on("r.model_path");
        break;
      case Condition::kModelSha256:
        on("r.model_sha256");
        break;
      case Condition::kGraphDigest:
        on("r.graph_digest");
        break;
      case Condition::kRepository:
        on("r.repository");
        break;
      case Condition::kBranch:
        on("r.branch");
        break;
      case Condition::kRevision:
        on("r.revision");
        break;
      case Condition::kPullRequest:
        on("r.pull_request");
        break;
      case Condition::kTarget:
        on(absl::StrCat(hidden, "t.target"));
        break;
      case Condition::kVerdict:
        on(absl::StrCat(hidden, "t.verdict"));
        break;
      case Condition::kCreateTime:
        on(key);
        break;
      case Condition::kCode:
        if (c.op == Condition::kEqual && code_drives) {
          on("c.code");
          code_drives = false;  // the first one; further ones are looked up
        } else {
          absl::StrAppend(&sql.text, c.op == Condition::kEqual ? " AND " : " AND NOT ",
                          "EXISTS (SELECT 1 FROM report_codes x WHERE x.time = t.time AND x.ordinal = t.ordinal"
                          " AND x.code = $",
                          sql.values.size() + 1, ")");
        }
        break;
    }
    if (c.field == Condition::kVerdict || c.field == Condition::kCreateTime) {
      sql.values.emplace_back(c.number);
    } else {
      sql.values.emplace_back(reports::KeyText(c.text));
    }
  }
  absl::StrAppend(&sql.text, " ORDER BY ", key, " DESC LIMIT ", limit);
  return sql;
}

}  // namespace quantgate::db
