// Findings by cause: what differs only in its place or target is said once.
#ifndef QUANTGATE_CLIENT_REPORT_GROUP_H_
#define QUANTGATE_CLIENT_REPORT_GROUP_H_

#include <vector>

#include "quantgate/v1/report.pb.h"

namespace quantgate {

// Findings with one code, effect and table, whose observed and allowed values are the same but for numbers and for the
// names of their own place, and which the same targets report; waived alike, or known alike. Where numbers are allowed
// they are of one statement of the table. Pointers refer to the report.
struct FindingGroup {
  // Never empty; in report order. One per place, or several where each target observes something else there ("V68" and
  // "V69" where V73 is needed).
  std::vector<const v1::Finding*> findings;
  std::vector<int> targets;  // indices into Report.results, ascending
};

// Errors first, then warnings, then information; within these by code, then in report order.
std::vector<FindingGroup> GroupFindings(const v1::Report& report);

// What was not checked, by rule and reason.
struct NotCheckedGroup {
  std::vector<const v1::NotChecked*> entries;  // never empty
  std::vector<int> targets;
};

std::vector<NotCheckedGroup> GroupNotChecked(const v1::Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_GROUP_H_
