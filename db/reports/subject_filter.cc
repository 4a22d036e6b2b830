#include "db/reports/subject_filter.h"

#include "absl/strings/str_cat.h"
#include "db/reports/filter.h"
#include "db/reports/key_text.h"
#include "db/reports/short_target.h"

namespace quantgate::db::reports {
namespace {

const char* SubjectColumn(Condition::Field field) {
  switch (field) {
    case Condition::kModelPath:
      return "model_path";
    case Condition::kTarget:
      return "target";
    case Condition::kRepository:
      return "repository";
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<SubjectFilter> ParseSubjectFilter(Session& session, absl::string_view filter, int first_parameter) {
  absl::StatusOr<std::vector<Condition>> conditions = ParseReportFilter(filter);
  if (!conditions.ok()) return conditions.status();
  if (absl::Status status = CompleteTargets(session, *conditions); !status.ok()) return status;
  SubjectFilter result;
  for (const Condition& condition : *conditions) {
    const char* column = SubjectColumn(condition.field);
    const bool is_branch = condition.field == Condition::kBranch && !result.branch.has_value();
    if (condition.op != Condition::kEqual || (column == nullptr && !is_branch)) {
      return absl::InvalidArgumentError(
          "filter: takes = on model.path, target, labels.repository and labels.branch (once) here");
    }
    if (is_branch) {
      result.branch = KeyText(condition.text);
      continue;
    }
    result.values.push_back(KeyText(condition.text));
    absl::StrAppend(&result.sql, " AND ", column, " = $", first_parameter + static_cast<int>(result.values.size()) - 1);
  }
  return result;
}

}  // namespace quantgate::db::reports
