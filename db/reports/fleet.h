// The fleet: every subject with its newest report and the one before.
#ifndef QUANTGATE_DB_REPORTS_FLEET_H_
#define QUANTGATE_DB_REPORTS_FLEET_H_

#include "absl/status/status.h"
#include "db/reports/session.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate::db::reports {

// `page_size` as it is to be used, >= 1. INVALID_ARGUMENT: "filter: ...", "page_token: ...".
absl::Status ReadFleet(Session& session, const v1::GetFleetRequest& request, int page_size,
                       v1::GetFleetResponse& response);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_FLEET_H_
