// Targets in filters, in the short form that users write elsewhere too.
#ifndef QUANTGATE_DB_REPORTS_SHORT_TARGET_H_
#define QUANTGATE_DB_REPORTS_SHORT_TARGET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/reports/filter.h"
#include "db/reports/session.h"

namespace quantgate::db::reports {

// Takes the conditions `target = …` out of `conditions` and says which targets fit all of them, as key texts; nothing:
// any target. "qnn_htp/SM8650" and "qnn_htp/SM8650@2.25" are every version of these that a report ever had, "qnn_htp"
// all of the backend, or else themselves. What `!=` excludes becomes a condition for each version.
absl::StatusOr<std::optional<std::vector<std::string>>> TakeTargets(Session& session,
                                                                    std::vector<Condition>& conditions);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SHORT_TARGET_H_
