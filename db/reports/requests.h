// Requests that take several calls of the store, as the service and the command line answer them.
#ifndef QUANTGATE_DB_REPORTS_REQUESTS_H_
#define QUANTGATE_DB_REPORTS_REQUESTS_H_

#include <functional>

#include "absl/status/status.h"
#include "db/reports/report_store.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate::db {

// INVALID_ARGUMENT and NOT_FOUND name the field, "base: ...".
absl::Status Diff(ReportStore& store, const v1::DiffReportsRequest& request, v1::DiffReportsResponse& response);

// All or none. INVALID_ARGUMENT names the report, "reports[3].create_time: ...".
absl::Status Import(ReportStore& store, const v1::ImportReportsRequest& request, v1::ImportReportsResponse& response);

// Some reports at a time, so that others are stored in between. `may_go_on` is asked between them: its error ends the
// call.
absl::Status Prune(ReportStore& store, const v1::PruneReportsRequest& request,
                   const std::function<absl::Status()>& may_go_on, v1::PruneReportsResponse& response);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_REQUESTS_H_
