// Filters of fleet and trends: what names subjects, and a branch.
#ifndef QUANTGATE_DB_REPORTS_SUBJECT_FILTER_H_
#define QUANTGATE_DB_REPORTS_SUBJECT_FILTER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/reports/session.h"

namespace quantgate::db::reports {

// Names are key texts.
struct SubjectFilter {
  // Conditions on columns of report_subjects, each behind an AND, numbered from `first_parameter` on, and their values.
  std::string sql;
  std::vector<std::string> values;
  std::optional<std::string> branch;
  // Of the same conditions: the targets, one of which it is, and what else is named.
  std::optional<std::vector<std::string>> targets;
  std::vector<std::string> repositories, model_paths;
};

// INVALID_ARGUMENT: not a filter, or one of other fields or operators.
// Targets may be short (short_target.h).
absl::StatusOr<SubjectFilter> ParseSubjectFilter(Session& session, absl::string_view filter, int first_parameter);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SUBJECT_FILTER_H_
