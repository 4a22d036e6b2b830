#include "db/reports/subject_filter.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "db/reports/filter.h"
#include "db/reports/key_text.h"
#include "db/reports/short_target.h"

namespace quantgate::db::reports {
namespace {

// Adds " AND column IN ($n, …)".
void AppendCondition(absl::string_view column, absl::Span<const std::string> texts, int first_parameter,
                     SubjectFilter& filter) {
  const auto parameter = [&](std::string* out, const std::string& text) {
    absl::StrAppend(out, "$", first_parameter + static_cast<int>(filter.values.size()));
    filter.values.push_back(text);
  };
  absl::StrAppend(&filter.sql, " AND ", column, " IN (", absl::StrJoin(texts, ", ", parameter), ")");
}

}  // namespace

absl::StatusOr<SubjectFilter> ParseSubjectFilter(Session& session, absl::string_view filter, int first_parameter) {
  absl::StatusOr<std::vector<Condition>> conditions = ParseReportFilter(filter);
  if (!conditions.ok()) return conditions.status();
  const auto is_of_subject = [](const Condition& condition) {
    return condition.op == Condition::kEqual &&
           (condition.field == Condition::kModelPath || condition.field == Condition::kTarget ||
            condition.field == Condition::kRepository || condition.field == Condition::kBranch);
  };
  const auto is_branch = [](const Condition& condition) { return condition.field == Condition::kBranch; };
  if (!absl::c_all_of(*conditions, is_of_subject) || absl::c_count_if(*conditions, is_branch) > 1) {
    return absl::InvalidArgumentError(
        "filter: takes = on model.path, target, labels.repository and labels.branch (once) here");
  }
  absl::StatusOr<std::optional<std::vector<std::string>>> targets = TakeTargets(session, *conditions);
  if (!targets.ok()) return targets.status();
  SubjectFilter result;
  for (const Condition& condition : *conditions) {
    std::string text = KeyText(condition.text);
    if (is_branch(condition)) {
      result.branch = std::move(text);
      continue;
    }
    const bool is_path = condition.field == Condition::kModelPath;
    AppendCondition(is_path ? "model_path" : "repository", {text}, first_parameter, result);
    (is_path ? result.model_paths : result.repositories).push_back(std::move(text));
  }
  result.targets = *std::move(targets);
  if (result.targets.has_value() && result.targets->empty()) {
    absl::StrAppend(&result.sql, " AND id < 0");  // two targets at once: none
  } else if (result.targets.has_value()) {
    AppendCondition("target", *result.targets, first_parameter, result);
  }
  return result;
}

}  // namespace quantgate::db::reports
