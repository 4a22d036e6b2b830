// What two reports have in common, and what differs.
#ifndef QUANTGATE_DB_REPORTS_COMPARE_H_
#define QUANTGATE_DB_REPORTS_COMPARE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quantgate/v1/report.pb.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate::db {

// A finding of a result for `target`.
struct TargetFinding {
  absl::string_view target;
  const v1::Finding* finding;
};

// For each of `now` the index of the same finding in `before`, -1: there is none (fingerprint.h says which are the
// same). Each of `before` is taken once.
std::vector<int> SameFindings(absl::Span<const TargetFinding> before, absl::Span<const TargetFinding> now);

// The results of `report` for the target; where there are none, those for it in another SDK version.
std::vector<const v1::Result*> ResultsFor(const v1::Report& report, absl::string_view target);

// The report without its long lists: findings, not-checked lists, corrections, node outcomes.
v1::Report SummaryOf(const v1::Report& report);

// As documented at DiffReportsResponse.
v1::DiffReportsResponse DiffReports(const v1::Report& base, const v1::Report& other);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_REPORTS_COMPARE_H_
