#include "db/reports/compare.h"

#include <deque>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "db/reports/fingerprint.h"

namespace quantgate::db {
namespace {

// What of its place two findings must have in common; each is tried before those that have less.
struct Agreement {
  bool node, value, position;
};
constexpr Agreement kAgreements[] = {
    {true, true, true},   {true, true, false},  {false, true, true},  {true, false, true},
    {false, true, false}, {true, false, false}, {false, false, true},
};

// A finding and what it is known by.
struct Known {
  std::string kind;
  std::string node, value, position;  // empty: there is none
  int same = -1;                      // index in the other list

  explicit Known(const TargetFinding& of)
      : kind(FindingKind(of.target, *of.finding)),
        node(StableNodeName(of.finding->location())),
        value(StableValueName(of.finding->location())),
        position(of.finding->location().has_position() ? absl::StrCat(of.finding->location().position()) : "") {}

  bool HasPlace() const { return !node.empty() || !value.empty() || !position.empty(); }

  // Empty: it lacks something of that.
  std::string Key(const Agreement& by) const {
    if ((by.node && node.empty()) || (by.value && value.empty()) || (by.position && position.empty())) return "";
    constexpr absl::string_view kSeparator = "\x1f";
    return absl::StrCat(kind, kSeparator, by.node ? node : "", kSeparator, by.value ? value : "", kSeparator,
                        by.position ? position : "");
  }
};

template <typename KeyOf>
void Pair(std::vector<Known>& before, std::vector<Known>& now, KeyOf key_of) {
  absl::flat_hash_map<std::string, std::deque<Known*>> open;
  for (Known& finding : before) {
    if (finding.same >= 0) continue;
    if (std::string key = key_of(finding); !key.empty()) open[std::move(key)].push_back(&finding);
  }
  for (Known& finding : now) {
    if (finding.same >= 0) continue;
    const auto found = open.find(key_of(finding));
    if (found == open.end() || found->second.empty()) continue;
    Known* earlier = found->second.front();
    found->second.pop_front();
    earlier->same = static_cast<int>(&finding - now.data());
    finding.same = static_cast<int>(earlier - before.data());
  }
}

std::vector<TargetFinding> FindingsOf(absl::Span<const v1::Result* const> results) {
  std::vector<TargetFinding> findings;
  for (const v1::Result* result : results) {
    for (const v1::Finding& finding : result->findings()) findings.push_back({result->target(), &finding});
  }
  return findings;
}

bool HasTarget(const v1::Report& report, absl::string_view target) {
  return absl::c_any_of(report.results(), [&](const v1::Result& result) { return result.target() == target; });
}

void DiffTarget(const v1::Result& before, const v1::Result& now, v1::TargetDiff& diff) {
  const v1::Result* const base[] = {&before};
  const v1::Result* const other[] = {&now};
  const std::vector<TargetFinding> base_findings = FindingsOf(base);
  const std::vector<int> same = SameFindings(base_findings, FindingsOf(other));
  std::vector<bool> remains(base_findings.size());
  for (int i = 0; i < now.findings_size(); ++i) {
    if (same[i] >= 0) remains[same[i]] = true;
    *(same[i] >= 0 ? diff.add_remaining_findings() : diff.add_new_findings()) = now.findings(i);
  }
  for (size_t i = 0; i < remains.size(); ++i) {
    if (!remains[i]) *diff.add_fixed_findings() = *base_findings[i].finding;
  }
}

}  // namespace

std::vector<int> SameFindings(absl::Span<const TargetFinding> before, absl::Span<const TargetFinding> now) {
  std::vector<Known> earlier(before.begin(), before.end());
  std::vector<Known> later(now.begin(), now.end());
  for (const Agreement& by : kAgreements) {
    Pair(earlier, later, [&](const Known& finding) { return finding.Key(by); });
  }
  // What is said of the whole graph has no place.
  Pair(earlier, later, [](const Known& finding) { return finding.HasPlace() ? "" : finding.kind; });
  std::vector<int> same;
  same.reserve(later.size());
  for (const Known& finding : later) same.push_back(finding.same);
  return same;
}

std::vector<const v1::Result*> ResultsFor(const v1::Report& report, absl::string_view target) {
  std::vector<const v1::Result*> same, other_sdk;
  for (const v1::Result& result : report.results()) {
    if (result.target() == target) same.push_back(&result);
    if (TargetWithoutSdk(result.target()) == TargetWithoutSdk(target)) other_sdk.push_back(&result);
  }
  return same.empty() ? other_sdk : same;
}

v1::Report SummaryOf(const v1::Report& report) {
  v1::Report summary;
  summary.set_name(report.name());
  *summary.mutable_create_time() = report.create_time();
  if (report.has_model()) *summary.mutable_model() = report.model();
  summary.set_graph_digest(report.graph_digest());
  summary.set_tables_digest(report.tables_digest());
  summary.set_stage(report.stage());
  summary.set_mode(report.mode());
  summary.set_tool_version(report.tool_version());
  if (report.has_labels()) *summary.mutable_labels() = report.labels();
  for (const v1::Result& result : report.results()) {
    v1::Result& copy = *summary.add_results();
    copy.set_target(result.target());
    copy.set_verdict(result.verdict());
    copy.set_verdict_reason(result.verdict_reason());
    if (result.has_coverage()) *copy.mutable_coverage() = result.coverage();
    if (result.has_outcome()) copy.mutable_outcome()->set_kind(result.outcome().kind());
    *copy.mutable_tables() = result.tables();
  }
  return summary;
}

v1::DiffReportsResponse DiffReports(const v1::Report& base, const v1::Report& other) {
  v1::DiffReportsResponse response;
  *response.mutable_base() = SummaryOf(base);
  *response.mutable_other() = SummaryOf(other);
  std::vector<const v1::Result*> compared;
  for (const v1::Result& result : other.results()) {
    v1::TargetDiff& diff = *response.add_targets();
    diff.set_target(result.target());
    diff.set_verdict(result.verdict());
    v1::Result none;
    const v1::Result* before = &none;
    for (const v1::Result* candidate : ResultsFor(base, result.target())) {
      // One of another SDK version may have its own counterpart; each is compared once.
      const bool is_taken = absl::c_linear_search(compared, candidate) ||
                            (candidate->target() != result.target() && HasTarget(other, candidate->target()));
      if (is_taken) continue;
      before = candidate;
      compared.push_back(candidate);
      break;
    }
    diff.set_base_target(before->target());
    diff.set_base_verdict(before->verdict());
    DiffTarget(*before, result, diff);
  }
  for (const v1::Result& result : base.results()) {
    if (absl::c_linear_search(compared, &result)) continue;
    v1::TargetDiff& diff = *response.add_targets();
    diff.set_base_target(result.target());
    diff.set_base_verdict(result.verdict());
  }
  return response;
}

}  // namespace quantgate::db
