// What the store keeps about reports so that it can find and count them (schema.h lists the tables). All of it follows
// from the reports themselves.
#ifndef QUANTGATE_DB_REPORTS_DERIVED_H_
#define QUANTGATE_DB_REPORTS_DERIVED_H_

#include <cstdint>

#include "absl/status/status.h"
#include "db/reports/session.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db::reports {

// Within the transaction that inserts the report at `time` (its key).
absl::Status Derive(Session& session, int64_t time, const v1::Report& report);

// Within the transaction that deletes the report: takes it out of the sums. Rows of tables with its key go with it.
// That a finding started or ended with it remains known.
absl::Status Withdraw(Session& session, int64_t time, const v1::Report& report);

// For all reports, of which nothing is derived yet but what version 1 of the schema knows.
absl::Status DeriveAll(Session& session);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_DERIVED_H_
