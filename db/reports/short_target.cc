#include "db/reports/short_target.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "db/reports/key_text.h"

namespace quantgate::db::reports {
namespace {

constexpr int kMostTargets = 2000;

// All targets of reports, of deleted ones too: trends have them still. From one to the next behind it in the index: in
// whatever order a database has them.
absl::StatusOr<std::vector<std::string>> TargetsOf(Session& session) {
  std::vector<std::string> targets;
  std::string last;
  for (int i = 0; i < kMostTargets; ++i) {
    absl::StatusOr<Answer> answer = session.Run(
        "SELECT target FROM report_subjects WHERE target > $1 ORDER BY target LIMIT 1", {absl::string_view(last)});
    if (!answer.ok()) return answer.status();
    if (answer->rows.empty()) break;
    last = answer->rows[0].Bytes(0);
    targets.push_back(last);
  }
  return targets;
}

// A complete version has three numbers; what has more or other parts is looked for as it is.
bool IsShort(absl::string_view target) {
  const size_t at = target.find('@');
  return at == absl::string_view::npos || absl::c_count(target.substr(at), '.') < 2;
}

bool IsVersionOf(absl::string_view candidate, absl::string_view target) {
  if (!absl::ConsumePrefix(&candidate, target)) return false;
  if (candidate.empty()) return true;
  if (absl::StrContains(target, '@')) return candidate[0] == '.';
  const bool is_backend = !absl::StrContains(target, '/');
  return candidate[0] == '@' || (is_backend && candidate[0] == '/');
}

}  // namespace

absl::StatusOr<std::optional<std::vector<std::string>>> TakeTargets(Session& session,
                                                                    std::vector<Condition>& conditions) {
  std::optional<std::vector<std::string>> known;
  std::optional<std::vector<std::string>> fitting;
  std::vector<Condition> rest;
  for (Condition& condition : conditions) {
    if (condition.field != Condition::kTarget) {
      rest.push_back(std::move(condition));
      continue;
    }
    const std::string target = KeyText(condition.text);
    std::vector<std::string> meant;
    if (IsShort(target)) {
      if (!known.has_value()) {
        absl::StatusOr<std::vector<std::string>> targets = TargetsOf(session);
        if (!targets.ok()) return targets.status();
        known = *std::move(targets);
      }
      absl::c_copy_if(*known, std::back_inserter(meant),
                      [&](const std::string& candidate) { return IsVersionOf(candidate, target); });
    }
    if (meant.empty()) meant.push_back(target);
    if (condition.op != Condition::kEqual) {
      for (std::string& one : meant) rest.push_back({condition.field, condition.op, std::move(one), 0});
    } else if (!fitting.has_value()) {
      fitting = std::move(meant);
    } else {
      const auto is_other = [&](const std::string& one) { return !absl::c_linear_search(meant, one); };
      fitting->erase(std::remove_if(fitting->begin(), fitting->end(), is_other), fitting->end());
    }
  }
  conditions = std::move(rest);
  return fitting;
}

}  // namespace quantgate::db::reports
