// Tables of the report store and their migrations, the same in every database.
//
// Reports are keyed by their create time in nanoseconds, made unique on insertion. So "newest first" is the order of
// the key, every index is in that order behind its own column, and no listing sorts.
//   reports          one row per report: what is filtered on, and the report without its long lists
//   report_bodies    the whole report; apart, so that listing does not page through it
//   report_graphs    graphs by digest, compressed
// What follows from the reports (derived.h) is in
//   report_results   one row per target of a report
//   report_codes     one row per target and finding code
//   report_subjects  one row per repository, model path and target: what fleet and trends are about
//   report_problems  errors and warnings of a subject on a branch: from the report that has one first to the first
//                    without it
//   report_trends    sums per day
#ifndef QUANTGATE_DB_REPORTS_SCHEMA_H_
#define QUANTGATE_DB_REPORTS_SCHEMA_H_

#include "absl/status/status.h"
#include "db/reports/session.h"

namespace quantgate::db::reports {

// Creates or upgrades the tables; on a read-only session, or unless `may_change`, only checks them.
// FAILED_PRECONDITION when the database belongs to another program or to a newer version, or is to stay one of an
// older.
absl::Status PrepareSchema(Session& session, bool may_change = true);

// For every transaction that writes: whether the store is still of this version. UNAVAILABLE: another process has
// brought it to a newer one since, so another server may have what this one lacks.
absl::Status CheckSchema(Session& session);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SCHEMA_H_
