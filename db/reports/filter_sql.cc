#include "db/reports/filter_sql.h"

#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "db/reports/key_text.h"

namespace quantgate::db {
namespace {

using Field = Condition::Field;

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

// Every index of schema.h that is in the order of time behind these columns; those that fix more come first.
struct IndexColumns {
  Walk::Table table;
  std::vector<Field> columns;
};

const std::vector<IndexColumns>& Indexes() {
  static const auto& indexes = *new std::vector<IndexColumns>{
      {Walk::kResults, {Condition::kSubject, Condition::kBranch}},
      {Walk::kCodes, {Condition::kCode, Condition::kTarget}},
      {Walk::kCodes, {Condition::kCode, Condition::kBranch}},
      {Walk::kReports, {Condition::kModelPath, Condition::kBranch}},
      {Walk::kResults, {Condition::kTarget, Condition::kVerdict}},
      {Walk::kResults, {Condition::kTarget, Condition::kBranch}},
      {Walk::kResults, {Condition::kBranch, Condition::kVerdict}},
      {Walk::kResults, {Condition::kSubject}},
      {Walk::kReports, {Condition::kModelSha256}},
      {Walk::kReports, {Condition::kGraphDigest}},
      {Walk::kReports, {Condition::kRevision}},
      {Walk::kReports, {Condition::kPullRequest}},
      {Walk::kReports, {Condition::kModelPath}},
      {Walk::kReports, {Condition::kBranch}},
      {Walk::kReports, {Condition::kRepository}},
      {Walk::kCodes, {Condition::kCode}},
      {Walk::kResults, {Condition::kTarget}},
      {Walk::kResults, {Condition::kVerdict}},
  };
  return indexes;
}

bool IsAboutResult(const Condition& c) {
  return c.field == Condition::kTarget || c.field == Condition::kVerdict || c.field == Condition::kCode ||
         c.field == Condition::kSubject;
}

// The columns in which tables keep what a filter names. Empty: the table does not.
const char* ReportColumn(Field field) {
  switch (field) {
    case Condition::kModelPath:
      return "r.model_path";
    case Condition::kModelSha256:
      return "r.model_sha256";
    case Condition::kGraphDigest:
      return "r.graph_digest";
    case Condition::kRepository:
      return "r.repository";
    case Condition::kBranch:
      return "r.branch";
    case Condition::kRevision:
      return "r.revision";
    case Condition::kPullRequest:
      return "r.pull_request";
    case Condition::kCreateTime:
      return "r.time";
    default:
      return "";
  }
}

const char* ResultColumn(Field field) {
  switch (field) {
    case Condition::kTarget:
      return "t.target";
    case Condition::kVerdict:
      return "t.verdict";
    case Condition::kSubject:
      return "t.subject";
    case Condition::kBranch:
      return "t.branch";
    case Condition::kCreateTime:
      return "t.time";
    default:
      return "";
  }
}

const char* CodeColumn(Field field) {
  switch (field) {
    case Condition::kCode:
      return "c.code";
    case Condition::kTarget:
      return "c.target";
    case Condition::kBranch:
      return "c.branch";
    case Condition::kCreateTime:
      return "c.time";
    default:
      return "";
  }
}

// From the table that is walked, where that has it.
std::string ColumnOf(Field field, Walk::Table walked) {
  std::string column = walked == Walk::kCodes     ? CodeColumn(field)
                       : walked == Walk::kResults ? ResultColumn(field)
                                                  : ReportColumn(field);
  if (column.empty()) column = ResultColumn(field);
  return column.empty() ? ReportColumn(field) : column;
}

struct TableName {
  const char* name;  // with its alias
  const char* time;
};

TableName NameOf(Walk::Table table) {
  switch (table) {
    case Walk::kReports:
      return {"reports r", "r.time"};
    case Walk::kResults:
      return {"report_results t", "t.time"};
    case Walk::kCodes:
      return {"report_codes c", "c.time"};
  }
  return {"reports r", "r.time"};
}

std::string Parameter(ListSql& sql, const Condition& c) {
  const bool is_number =
      c.field == Condition::kVerdict || c.field == Condition::kCreateTime || c.field == Condition::kSubject;
  if (is_number) {
    sql.values.emplace_back(c.number);
  } else {
    sql.values.emplace_back(reports::KeyText(c.text));
  }
  return absl::StrCat(sql.values.size());
}

// The rows of the walk: its range of time, and what it fixes.
void AppendWalk(const Walk& walk, const TimeRange& range, ListSql& sql) {
  const char* time = NameOf(walk.table).time;
  sql.values.emplace_back(range.before);
  absl::StrAppend(&sql.text, time, " < $", sql.values.size());
  if (range.from > std::numeric_limits<int64_t>::min()) {
    sql.values.emplace_back(range.from);
    absl::StrAppend(&sql.text, " AND ", time, " >= $", sql.values.size());
  }
  for (const Condition* c : walk.fixed) {
    absl::StrAppend(&sql.text, " AND ", ColumnOf(c->field, walk.table), " = $", Parameter(sql, *c));
  }
}

// A subject is one repository, model path and target: where it is fixed, so are these.
bool Fixes(const Walk& walk, const Condition& c) {
  if (absl::c_linear_search(walk.fixed, &c)) return true;
  const bool names_subject =
      c.op == Condition::kEqual &&
      (c.field == Condition::kRepository || c.field == Condition::kModelPath || c.field == Condition::kTarget);
  return names_subject &&
         absl::c_any_of(walk.fixed, [](const Condition* fixed) { return fixed->field == Condition::kSubject; });
}

}  // namespace

std::vector<reports::Value> ListSql::Bound() const {
  std::vector<reports::Value> bound;
  bound.reserve(values.size());
  for (const auto& value : values) {
    std::visit([&](const auto& given) { bound.emplace_back(given); }, value);
  }
  return bound;
}

void TakeTimeRange(std::vector<Condition>& conditions, TimeRange& range) {
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  const auto after = [](int64_t time) { return time == kLast ? kLast : time + 1; };
  const auto take = [&](const Condition& c) {
    if (c.field != Condition::kCreateTime || c.op == Condition::kNotEqual) return false;
    const bool bounds_above = c.op != Condition::kGreater && c.op != Condition::kGreaterEqual;
    const bool bounds_below = c.op != Condition::kLess && c.op != Condition::kLessEqual;
    if (bounds_above) range.before = std::min(range.before, c.op == Condition::kLess ? c.number : after(c.number));
    if (bounds_below) range.from = std::max(range.from, c.op == Condition::kGreater ? after(c.number) : c.number);
    return true;
  };
  conditions.erase(std::remove_if(conditions.begin(), conditions.end(), take), conditions.end());
}

std::vector<Walk> WalksFor(absl::Span<const Condition> conditions) {
  std::vector<Walk> walks;
  for (const IndexColumns& index : Indexes()) {
    Walk walk = {index.table, {}};
    for (const Field field : index.columns) {
      const auto found = absl::c_find_if(
          conditions, [&](const Condition& c) { return c.field == field && c.op == Condition::kEqual; });
      if (found != conditions.end()) walk.fixed.push_back(&*found);
    }
    if (walk.fixed.size() < index.columns.size()) continue;
    const bool is_part = absl::c_any_of(walks, [&](const Walk& other) {
      return absl::c_all_of(walk.fixed, [&](const Condition* c) { return Fixes(other, *c); });
    });
    if (!is_part) walks.push_back(std::move(walk));
  }
  if (walks.empty()) {
    walks.push_back({absl::c_any_of(conditions, IsAboutResult) ? Walk::kResults : Walk::kReports, {}});
  }
  return walks;
}

bool IsExact(absl::Span<const Condition> conditions, const Walk& walk) {
  return absl::c_all_of(conditions, [&](const Condition& c) { return Fixes(walk, c); });
}

ListSql BuildReachSql(const Walk& walk, const TimeRange& range, int rows) {
  const TableName table = NameOf(walk.table);
  ListSql sql;
  sql.text = absl::StrCat("SELECT count(*), min(time) FROM (SELECT ", table.time, " FROM ", table.name, " WHERE ");
  AppendWalk(walk, range, sql);
  absl::StrAppend(&sql.text, " ORDER BY ", table.time, " DESC LIMIT ", rows, ") w");
  return sql;
}

ListSql BuildListSql(absl::Span<const Condition> conditions, const Walk& walk, const TimeRange& range, bool full,
                     int limit, const reports::Dialect& dialect) {
  const TableName table = NameOf(walk.table);
  // A report's codes are looked up by the key of its result, which the tables of results and codes both have.
  const char* result = walk.table == Walk::kCodes ? "c" : "t";
  const auto needs_results = [&](const Condition& c) {
    if (c.field == Condition::kCode) return walk.table == Walk::kReports;
    return IsAboutResult(c) && !Fixes(walk, c) && ColumnOf(c.field, walk.table)[0] == 't';
  };
  ListSql sql;
  sql.text = absl::StrCat("SELECT ", table.time, ", length(", full ? "b.body" : "r.summary", ") FROM ", table.name);
  if (walk.table != Walk::kResults && absl::c_any_of(conditions, needs_results)) {
    absl::StrAppend(&sql.text, dialect.joined, "report_results t ON t.time = ", table.time,
                    walk.table == Walk::kCodes ? " AND t.ordinal = c.ordinal" : "");
  }
  // What is large is joined last: only rows that match reach it.
  if (walk.table != Walk::kReports) {
    absl::StrAppend(&sql.text, dialect.joined, "reports r ON r.time = ", table.time);
  }
  if (full) absl::StrAppend(&sql.text, dialect.joined, "report_bodies b ON b.time = r.time");
  absl::StrAppend(&sql.text, " WHERE ");
  AppendWalk(walk, range, sql);
  for (const Condition& c : conditions) {
    if (Fixes(walk, c)) continue;
    if (c.field == Condition::kCode) {
      absl::StrAppend(&sql.text, c.op == Condition::kEqual ? " AND" : " AND NOT",
                      " EXISTS (SELECT 1 FROM report_codes x WHERE x.time = ", result, ".time AND x.ordinal = ", result,
                      ".ordinal AND x.code = $", Parameter(sql, c), ")");
      continue;
    }
    // Hidden from a planner that would otherwise choose another index for it.
    absl::StrAppend(&sql.text, " AND ", dialect.hidden, ColumnOf(c.field, walk.table), OperatorSql(c.op),
                    Parameter(sql, c));
  }
  absl::StrAppend(&sql.text, " ORDER BY ", table.time, " DESC LIMIT ", limit);
  return sql;
}

}  // namespace quantgate::db
