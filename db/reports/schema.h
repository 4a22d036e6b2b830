// Schema of the SQLite report store and its migrations.
//
// Reports are keyed by their create time in nanoseconds, made unique on insertion. So "newest first" is the order of
// the key, every index is in that order behind its own column, and no listing sorts.
//   reports         one row per report: what is filtered on, and the report without its long lists
//   report_bodies   the whole report; apart, so that listing does not page through it
//   report_results  one row per target
//   report_codes    one row per target and finding code
#ifndef QUANTGATE_DB_REPORTS_SCHEMA_H_
#define QUANTGATE_DB_REPORTS_SCHEMA_H_

#include "absl/status/status.h"
#include "db/reports/sqlite.h"

namespace quantgate::db::reports {

// Creates or upgrades the tables; on a read-only connection only checks them. FAILED_PRECONDITION when the file belongs
// to another program or to a newer version.
absl::Status PrepareSchema(Connection& connection);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SCHEMA_H_
