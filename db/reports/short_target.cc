#include "db/reports/short_target.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "db/reports/key_text.h"
#include "db/sdk_version.h"

namespace quantgate::db::reports {
namespace {

constexpr int kMostTargets = 2000;

// All targets of reports, from one to the next behind it in the index: in whatever order a database has them.
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

// Nothing: it stays as it is.
std::optional<std::string> Complete(const std::string& target, const std::vector<std::string>& known) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(target, absl::MaxSplits('@', 1));
  const auto& [name, sdk] = parts;
  std::vector<std::string> versions;
  for (const std::string& candidate : known) {
    if (candidate == target) return std::nullopt;
    const std::pair<std::string, std::string> other = absl::StrSplit(candidate, absl::MaxSplits('@', 1));
    if (other.first == name && (sdk.empty() || absl::StartsWith(other.second, absl::StrCat(sdk, ".")))) {
      versions.push_back(other.second);
    }
  }
  if (versions.empty()) return std::nullopt;
  return absl::StrCat(name, "@", *absl::c_max_element(versions, SdkVersionLess));
}

}  // namespace

absl::Status CompleteTargets(Session& session, std::vector<Condition>& conditions) {
  std::optional<std::vector<std::string>> known;
  for (Condition& condition : conditions) {
    // A complete version has three numbers; what has more or other parts is looked for as it is.
    const size_t at = condition.text.find('@');
    const bool is_short = at == std::string::npos || absl::c_count(condition.text.substr(at), '.') < 2;
    if (condition.field != Condition::kTarget || !is_short) continue;
    if (!known.has_value()) {
      absl::StatusOr<std::vector<std::string>> targets = TargetsOf(session);
      if (!targets.ok()) return targets.status();
      known = *std::move(targets);
    }
    if (std::optional<std::string> whole = Complete(KeyText(condition.text), *known); whole.has_value()) {
      condition.text = *std::move(whole);
    }
  }
  return absl::OkStatus();
}

}  // namespace quantgate::db::reports
