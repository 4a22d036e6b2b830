#include "rules/corrections/observed.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "rules/engine/verdict.h"

namespace quantgate::corrections {
namespace {

// Where numbers may be cut off or lost, not only coarser.
constexpr absl::string_view kLosing[] = {"FX010", "NR009", "SH009"};

Weight WeightOf(const v1::Finding& finding) {
  if (IsFault(finding)) return Weight::kFault;
  if (finding.severity() != v1::Finding::WARNING || finding.effect() == v1::Finding::ADVICE) return Weight::kNote;
  return absl::c_linear_search(kLosing, finding.code()) ? Weight::kLosing : Weight::kWarning;
}

}  // namespace

Observed::Observed(const v1::Result& result, const Names& names) : findings_(result.findings_size()) {
  for (const v1::Finding& finding : result.findings()) {
    const v1::Location& location = finding.location();
    if (!location.subgraph().empty()) continue;
    Issue issue;
    issue.code = finding.code();
    issue.node = location.node().empty() ? -1 : names.Node(location.node());
    if (location.has_input()) issue.input = location.input();
    if (location.has_output()) issue.output = location.output();
    Add(std::move(issue), {WeightOf(finding), absl::HashOf(finding.observed(), finding.allowed()),
                           finding.severity() == v1::Finding::ERROR});
  }
  for (const v1::NotChecked& entry : result.not_checked()) {
    Issue issue;
    issue.code = entry.rule();
    issue.node = entry.node().empty() ? -1 : names.Node(entry.node());
    issue.not_checked = true;
    // Numbers that only calibration will tell are no fault; a node that nothing can be said of is.
    const bool node_unjudged = entry.rule().empty() || absl::StartsWith(entry.rule(), "CV");
    Add(std::move(issue), {node_unjudged ? Weight::kFault : Weight::kNote, absl::HashOf(entry.reason())});
  }
}

void Observed::Add(Issue issue, Entry entry) {
  const auto [found, inserted] = issues_.emplace(issue, entry);
  if (inserted) {
    by_node_[issue.node].push_back(std::move(issue));
    return;
  }
  found->second.weight = std::max(found->second.weight, entry.weight);
  found->second.is_error = found->second.is_error || entry.is_error;
  found->second.words = absl::HashOf(found->second.words, entry.words);
}

const Observed::Entry* Observed::Find(const Issue& issue) const {
  const auto found = issues_.find(issue);
  return found == issues_.end() ? nullptr : &found->second;
}

const std::vector<Issue>& Observed::At(int32_t node) const {
  static const std::vector<Issue> none;
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? none : found->second;
}

void Observed::TakeFrom(const Observed& other, int32_t node) {
  if (const auto found = by_node_.find(node); found != by_node_.end()) {
    for (const Issue& issue : found->second) issues_.erase(issue);
    by_node_.erase(found);
  }
  for (const Issue& issue : other.At(node)) Add(issue, *other.Find(issue));
}

}  // namespace quantgate::corrections
