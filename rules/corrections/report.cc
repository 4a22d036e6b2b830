#include "rules/corrections/report.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/arena.h"
#include "rules/corrections/apply.h"
#include "rules/corrections/names.h"
#include "rules/corrections/observed.h"
#include "rules/engine/verdict.h"

namespace quantgate {
namespace {

// What no correction removes.
bool Remains(const v1::Finding& finding) { return IsFault(finding) && finding.correction().empty(); }

// What no correction removes, and keeps the target from taking the model: what runs elsewhere excludes nothing.
bool Excludes(const v1::Finding& finding) {
  return finding.severity() == v1::Finding::ERROR && finding.correction().empty();
}

// Says in the fix of each fault that remains which other target takes the node, with all corrections applied.
absl::Status SuggestTargets(const ReportTask& task, const ReportTask::OneTarget& target, v1::Result& result) {
  if (target.others == nullptr || absl::c_none_of(result.findings(), Remains)) return absl::OkStatus();
  const std::vector<std::string> others = target.others();
  if (others.empty()) return absl::OkStatus();
  v1::Graph changed = task.context.graph().message();
  if (absl::Status status = ApplyCorrections(result, changed); !status.ok()) return status;
  const corrections::Names names(changed);
  std::vector<bool> said(result.findings_size(), false);
  for (const std::string& other : others) {
    v1::Report report;
    if (absl::Status status = task.check(changed, {other}, report); !status.ok()) continue;  // not with this SDK
    const v1::Result& there = report.results(0);
    if (!there.verdict_reason().empty()) continue;
    const corrections::Observed seen(there, names);
    const auto fault_at = [&](int32_t node) {
      return absl::c_any_of(seen.At(node), [&](const corrections::Issue& issue) {
        return seen.Find(issue)->weight == corrections::Weight::kFault && !issue.not_checked;
      });
    };
    for (int i = 0; i < result.findings_size(); ++i) {
      v1::Finding& finding = *result.mutable_findings(i);
      if (said[i] || !Remains(finding) || finding.location().node().empty()) continue;
      const int32_t node = names.Node(finding.location().node());
      if (node < 0 || !finding.location().subgraph().empty() || fault_at(node)) continue;
      said[i] = true;
      finding.set_fix(absl::StrCat(finding.fix(), " ", there.target(), " takes the node as it is."));
    }
  }
  return absl::OkStatus();
}

// The search for several targets at once: their findings side by side, told apart by the code.
class Common {
 public:
  explicit Common(const ReportTask& task) : task_(task) {}

  // What was found for some targets.
  struct Answer {
    v1::Result plan;                // with the corrections
    std::vector<v1::Finding> left;  // errors that remain, with the target's index in Finding.group
    bool exhausted = true;          // no limit ended the search
  };

  // Changes after which none of `targets` has an error: found by a search over all of them, or else what one of them
  // needs by itself, which is at times further from the graph's own specs than that search goes, or leaves to another
  // processor on one target what the other one refuses as it is. The least of that is taken.
  absl::StatusOr<Answer> Plan(const std::vector<int>& targets, const v1::Report& report) {
    absl::StatusOr<Answer> answer = Searched(targets);
    if (!answer.ok() || answer->left.empty()) return answer;
    std::optional<int64_t> least;
    for (int target : targets) {
      if (report.results(target).corrections().empty()) continue;
      const absl::StatusOr<std::optional<int64_t>> lost = LeftElsewhere(report.results(target), targets, report);
      if (!lost.ok()) return lost.status();
      if (!lost->has_value() || (least.has_value() && **lost >= *least)) continue;
      least = **lost;
      *answer = {report.results(target)};
    }
    return answer;
  }

  // What all targets of the report say once the corrections of one result are made.
  absl::Status JudgeAll(const v1::Result& plan, v1::Report& after) const {
    std::vector<int> all(task_.targets.size());
    absl::c_iota(all, 0);
    return JudgeWith(plan, all, after);
  }

 private:
  absl::StatusOr<Answer> Searched(const std::vector<int>& targets) {
    Answer answer;
    const std::vector<std::string> names = NamesOf(targets);
    CorrectionTask joint{task_.context, nullptr, nullptr, task_.limits};
    joint.floats_for_fallbacks = false;
    joint.limits.max_judged_nodes /= static_cast<int64_t>(targets.size());
    joint.judge = [&](const v1::Graph& graph, v1::Result& result) {
      google::protobuf::Arena arena;
      auto& report = *google::protobuf::Arena::CreateMessage<v1::Report>(&arena);
      absl::Status status = task_.check(graph, names, report);
      if (status.ok()) Merge(targets, report, result);
      return status;
    };
    joint.accepted = [&](const ResolvedOp& op) {
      std::vector<AcceptedTypes> all;
      for (int target : targets) {
        if (!task_.targets[target].accepted) continue;
        for (AcceptedTypes& types : task_.targets[target].accepted(op)) all.push_back(std::move(types));
      }
      return all;
    };
    v1::Result& plan = answer.plan;
    if (absl::Status status = joint.judge(task_.context.graph().message(), plan); !status.ok()) return status;
    const absl::StatusOr<bool> exhausted = PlanCorrections(joint, plan);
    if (!exhausted.ok()) return exhausted.status();
    answer.exhausted = *exhausted;
    for (const v1::Finding& finding : plan.findings()) {
      if (Excludes(finding)) answer.left.push_back(finding);
    }
    return answer;
  }

  absl::Status JudgeWith(const v1::Result& plan, const std::vector<int>& targets, v1::Report& after) const {
    v1::Graph changed = task_.context.graph().message();
    if (absl::Status status = ApplyCorrections(plan, changed); !status.ok()) return status;
    return task_.check(changed, NamesOf(targets), after);
  }

  // How many more faults remain, once the corrections of one result are made, than with each target's own: those are
  // nodes that run elsewhere. nullopt: one of the targets has an error.
  absl::StatusOr<std::optional<int64_t>> LeftElsewhere(const v1::Result& plan, const std::vector<int>& targets,
                                                       const v1::Report& report) const {
    google::protobuf::Arena arena;
    auto& after = *google::protobuf::Arena::CreateMessage<v1::Report>(&arena);
    if (absl::Status status = JudgeWith(plan, targets, after); !status.ok()) return status;
    int64_t more = 0;
    for (size_t i = 0; i < targets.size(); ++i) {
      const auto& findings = after.results(static_cast<int>(i)).findings();
      if (absl::c_any_of(findings, Excludes)) return std::nullopt;
      const int64_t alone = absl::c_count_if(report.results(targets[i]).findings(), Remains);
      more += std::max<int64_t>(0, absl::c_count_if(findings, IsFault) - alone);
    }
    return more;
  }

  std::vector<std::string> NamesOf(const std::vector<int>& targets) const {
    std::vector<std::string> names;
    names.reserve(targets.size());
    for (int target : targets) names.push_back(task_.targets[target].name);
    return names;
  }

  static void Merge(const std::vector<int>& targets, v1::Report& report, v1::Result& merged) {
    for (int i = 0; i < report.results_size(); ++i) {
      v1::Result& result = *report.mutable_results(i);
      for (v1::Finding& finding : *result.mutable_findings()) {
        finding.set_code(absl::StrCat(finding.code(), "@", targets[i]));
        finding.set_group(targets[i]);
        *merged.add_findings() = std::move(finding);
      }
      for (v1::NotChecked& entry : *result.mutable_not_checked()) {
        entry.set_rule(absl::StrCat(entry.rule(), "@", targets[i]));
        *merged.add_not_checked() = std::move(entry);
      }
    }
  }

  const ReportTask& task_;
};

// Why a target is not among those that the common changes are made for.
struct LeftOut {
  std::vector<int> targets;              // that do not go together, this one last
  bool exhausted = true;                 // no limit ended the search
  const v1::Finding* finding = nullptr;  // what nothing removes; null: what the changes for the others bring
};

v1::Conflict MakeConflict(const v1::Report& report, const LeftOut& left_out, const v1::Finding& finding) {
  v1::Conflict conflict;
  for (int target : left_out.targets) conflict.add_targets(report.results(target).target());
  *conflict.mutable_location() = finding.location();
  const std::string& refuses = report.results(left_out.targets.back()).target();
  conflict.set_reason(
      absl::StrCat(left_out.targets.size() == 1 ? "no change of specs removes " : "what the others need brings ",
                   finding.code(), " on ", refuses, ": ", finding.message(),
                   left_out.exhausted ? "" : " (the search ended at a limit: there may be other specs)"));
  return conflict;
}

// Nothing passes because it was not looked at. Some nodes that nothing can be said of are a matter of the verdict.
bool IsJudged(const v1::Result& result) {
  return result.unjudged_reason().empty() || (!result.tables().empty() && result.coverage().checked_nodes() > 0);
}

// Takes targets in order, leaving out those that do not go with the ones before. What is said of each in the end is
// what it says of the graph with the changes that were chosen: one that was left out may take it, too.
// `exhausted`: by result, whether no limit ended its own search.
absl::Status PlanCommon(const ReportTask& task, const std::vector<bool>& exhausted, v1::Report& report) {
  v1::CommonCorrections& common = *report.mutable_common_corrections();
  Common search(task);
  std::vector<int> kept(report.results_size());
  absl::c_iota(kept, 0);
  std::vector<LeftOut> left_out(report.results_size());
  absl::StatusOr<Common::Answer> all = search.Plan(kept, report);
  if (!all.ok()) return all.status();
  v1::Result plan = std::move(all->plan);
  if (!all->left.empty()) {
    kept.clear();
    plan.Clear();
    for (int i = 0; i < report.results_size(); ++i) {
      const auto& alone = report.results(i).findings();
      const auto fails = absl::c_find_if(alone, Excludes);
      if (fails != alone.end()) {
        left_out[i] = {{i}, exhausted[i], &*fails};
        continue;
      }
      std::vector<int> with = kept;
      with.push_back(i);
      absl::StatusOr<Common::Answer> next = search.Plan(with, report);
      if (!next.ok()) return next.status();
      if (next->left.empty()) {
        kept = std::move(with);
        plan = std::move(next->plan);
      } else {
        left_out[i] = {std::move(with), next->exhausted, nullptr};
      }
    }
  }
  google::protobuf::Arena arena;
  auto& after = *google::protobuf::Arena::CreateMessage<v1::Report>(&arena);
  if (absl::Status status = search.JudgeAll(plan, after); !status.ok()) return status;
  for (int i = 0; i < report.results_size(); ++i) {
    const v1::Result& result = report.results(i);
    const auto& findings = after.results(i).findings();
    const auto refused = absl::c_find_if(findings, Excludes);
    if (refused != findings.end()) {
      if (left_out[i].targets.empty()) left_out[i].targets = {i};
      const v1::Finding* alone = left_out[i].finding;
      *common.add_conflicts() = MakeConflict(report, left_out[i], alone != nullptr ? *alone : *refused);
    } else if (IsJudged(result)) {
      common.add_targets(result.target());
    } else {
      v1::Conflict& conflict = *common.add_conflicts();
      conflict.add_targets(result.target());
      conflict.set_reason(absl::StrCat("whether these specs pass is not known: ", result.unjudged_reason()));
    }
  }
  bool safe = true;
  for (v1::Correction& correction : *plan.mutable_corrections()) {
    safe &= correction.safe();
    for (v1::Change& change : *correction.mutable_changes()) *common.add_changes() = std::move(change);
  }
  common.set_safe(safe);
  common.set_proven(!common.targets().empty());
  return absl::OkStatus();
}

// Leaves out the last corrections where the result would be too large with them. Each stands without the others: no
// node sees changes of two.
void KeepWithin(int64_t bytes, v1::Result& result) {
  for (const v1::Finding& finding : result.findings()) bytes -= static_cast<int64_t>(finding.ByteSizeLong());
  int kept = 0;
  for (; kept < result.corrections_size(); ++kept) {
    bytes -= static_cast<int64_t>(result.corrections(kept).ByteSizeLong());
    if (bytes < 0) break;
  }
  const int left_out = result.corrections_size() - kept;
  if (left_out == 0) return;
  for (int i = kept; i < result.corrections_size(); ++i) {
    for (int index : result.corrections(i).fixes()) result.mutable_findings(index)->clear_correction();
  }
  result.mutable_corrections()->DeleteSubrange(kept, left_out);
  result.add_not_checked()->set_reason(absl::StrCat(left_out, " more corrections are not listed (max_report_bytes)"));
}

// The same for the changes that all targets have in common: those, or none.
void KeepCommonWithin(int64_t bytes, v1::Report& report) {
  if (static_cast<int64_t>(report.common_corrections().ByteSizeLong()) <= bytes) return;
  report.mutable_common_corrections()->clear_changes();
  report.mutable_common_corrections()->set_proven(false);
  for (v1::Result& result : *report.mutable_results()) {
    result.add_not_checked()->set_reason(
        "the changes that all targets have in common are not listed (max_report_bytes)");
  }
}

}  // namespace

absl::Status CorrectReport(const ReportTask& task, v1::Report& report) {
  bool corrected = false;
  std::vector<bool> exhausted(report.results_size(), true);
  for (int i = 0; i < report.results_size(); ++i) {
    v1::Result& result = *report.mutable_results(i);
    const ReportTask::OneTarget& target = task.targets[i];
    const int64_t faults = absl::c_count_if(result.findings(), IsFault);
    if (faults == 0) continue;
    if (!target.complete) {
      // What is not listed cannot be compared with what is found after a change.
      result.add_not_checked()->set_reason("no corrections were looked for: not all findings are listed");
      exhausted[i] = false;
      continue;
    }
    CorrectionTask alone{task.context, nullptr, target.accepted, task.limits, target.predict};
    alone.judge = [&](const v1::Graph& graph, v1::Result& judged) {
      google::protobuf::Arena arena;
      auto& again = *google::protobuf::Arena::CreateMessage<v1::Report>(&arena);
      absl::Status status = task.check(graph, {target.name}, again);
      if (status.ok()) judged = again.results(0);
      return status;
    };
    const absl::StatusOr<bool> planned = PlanCorrections(alone, result);
    if (!planned.ok()) return planned.status();
    exhausted[i] = *planned;
    if (faults > task.limits.max_faults) continue;
    if (absl::Status status = SuggestTargets(task, target, result); !status.ok()) return status;
    corrected |= !result.corrections().empty();
  }
  if (corrected && report.results_size() > 1) {
    if (absl::Status status = PlanCommon(task, exhausted, report); !status.ok()) return status;
    KeepCommonWithin(task.max_bytes, report);
  }
  for (v1::Result& result : *report.mutable_results()) KeepWithin(task.max_bytes, result);
  return absl::OkStatus();
}

}  // namespace quantgate
