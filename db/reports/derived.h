// What the store keeps about reports so that it can find and count them (schema.h lists the tables). All of it follows
// from the reports themselves.
#ifndef QUANTGATE_DB_REPORTS_DERIVED_H_
#define QUANTGATE_DB_REPORTS_DERIVED_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "db/reports/session.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db::reports {

struct StoredReport {
  int64_t time = 0;  // its key
  const v1::Report* report = nullptr;
};

// Within the transaction that inserts these reports, once it has inserted them all, in whatever order. The more at
// once, the faster: what is common to them is read and written once.
absl::Status Derive(Session& session, absl::Span<const StoredReport> reports);

// Within the transaction that deletes the report: takes it out of the sums and of the history of findings. Rows
// of tables with its key go with it.
absl::Status Withdraw(Session& session, int64_t time, const v1::Report& report);

// For all reports, of which nothing is derived yet but what version 1 of the schema knows.
absl::Status DeriveAll(Session& session);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_DERIVED_H_
