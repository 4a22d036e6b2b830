// Targets in filters, in the short form that users write elsewhere too.
#ifndef QUANTGATE_DB_REPORTS_SHORT_TARGET_H_
#define QUANTGATE_DB_REPORTS_SHORT_TARGET_H_

#include <vector>

#include "absl/status/status.h"
#include "db/reports/filter.h"
#include "db/reports/session.h"

namespace quantgate::db::reports {

// Replaces "qnn_htp/SM8650" and "qnn_htp/SM8650@2.25" by the newest such target that any report has,
// "qnn_htp/SM8650@2.25.0". One that a report has as it is written stays; so does one that none has.
absl::Status CompleteTargets(Session& session, std::vector<Condition>& conditions);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SHORT_TARGET_H_
