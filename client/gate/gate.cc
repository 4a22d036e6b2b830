#include "client/gate/gate.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/gate/baseline.h"
#include "client/report/layout.h"
#include "client/text.h"
#include "rules/engine/gate_rules.h"
#include "rules/engine/verdict.h"

namespace quantgate {
namespace {

void SetSeverity(const Gate& gate, v1::Finding& finding) {
  if (absl::c_linear_search(gate.fail_on, finding.effect())) finding.set_severity(v1::Finding::ERROR);
  const v1::Finding::Severity severity = gate.waivers.SeverityOf(finding.code());
  if (severity != v1::Finding::SEVERITY_UNSPECIFIED) finding.set_severity(severity);
}

// Whether there was something to waive.
bool Waive(const WaiverEntry& waiver, bool expired, v1::Result& result) {
  bool used = false;
  for (v1::Finding& finding : *result.mutable_findings()) {
    if (!waiver.Matches(finding)) continue;
    used = true;
    if (expired || finding.has_waiver()) continue;
    finding.mutable_waiver()->set_reason(waiver.reason);
    finding.mutable_waiver()->set_expires(waiver.expires);
  }
  return used;
}

std::string Scope(const WaiverEntry& waiver) {
  std::vector<std::string> parts;
  const auto add = [&](absl::string_view what, const std::vector<std::string>& patterns) {
    parts.push_back(patterns.empty() ? absl::StrCat("any ", what)
                                     : absl::StrCat(what, " ", absl::StrJoin(patterns, " or ")));
  };
  add("model", waiver.models);
  add("node", waiver.nodes);
  add("target", waiver.targets);
  return absl::StrJoin(parts, ", ");
}

v1::Finding GateFinding(const RuleInfo& rule, const std::string& subject, const std::string& observed,
                        const std::string& allowed) {
  v1::Finding finding;
  finding.set_code(rule.code);
  finding.set_rule(rule.name);
  finding.set_severity(rule.severity);
  finding.set_effect(rule.effect);
  finding.set_observed(observed);
  finding.set_allowed(allowed);
  finding.set_message(
      absl::StrReplaceAll(rule.message, {{"{subject}", subject}, {"{observed}", observed}, {"{allowed}", allowed}}));
  finding.set_fix(rule.fix);
  finding.mutable_source()->set_kind(v1::Source::DEFINITION);
  return finding;
}

v1::Finding WaiverFinding(const RuleInfo& rule, const std::string& file, const WaiverEntry& waiver,
                          const std::string& subject, const std::string& observed, const std::string& allowed) {
  v1::Finding finding = GateFinding(rule, subject, observed, allowed);
  finding.mutable_location()->set_source_line(absl::StrCat(ToUtf8(file), ":", waiver.line));
  return finding;
}

std::string Subject(const WaiverEntry& waiver) {
  return absl::StrCat("the waiver of ", absl::StrJoin(waiver.rules, ", "));
}

// One finding for all: where one file serves many runs, most of its waivers are for others.
v1::Finding ForeignFinding(const std::string& file, const std::vector<const WaiverEntry*>& waivers) {
  constexpr size_t kMaxListed = 20;
  std::vector<std::string> lines;
  for (const WaiverEntry* waiver : waivers) {
    if (lines.size() < kMaxListed) lines.push_back(absl::StrCat(waiver->line));
  }
  const bool is_one = waivers.size() == 1;
  std::string observed = absl::StrCat(is_one ? "line " : "lines ", absl::StrJoin(lines, ", "));
  if (waivers.size() > kMaxListed) absl::StrAppend(&observed, " and ", waivers.size() - kMaxListed, " more");
  absl::StrAppend(&observed, is_one ? " names" : " name", " no model, or no target, of this run");
  return WaiverFinding(kForeignWaiver, file, *waivers.front(), Count(waivers.size(), "waiver"), observed,
                       /*allowed=*/"");
}

// What is wrong with a waiver, for the result that says so.
struct Complaint {
  v1::Result* result;
  v1::Finding finding;
};

// False: the waiver is of another run.
bool ApplyWaiver(const Gate& gate, const WaiverEntry& waiver, absl::Span<v1::Report> reports, v1::Result& any_result,
                 std::vector<Complaint>& complaints) {
  const bool expired = gate.now >= waiver.valid_until;
  v1::Result* first = nullptr;
  bool used = false;
  for (v1::Report& report : reports) {
    if (!waiver.ConcernsModel(report.model().path())) continue;
    for (v1::Result& result : *report.mutable_results()) {
      if (!waiver.ConcernsTarget(result.target())) continue;
      if (first == nullptr) first = &result;
      used |= Waive(waiver, expired, result);
    }
  }
  // What has run out, or names what is not there, did so for whatever it was written for: any result can say so.
  v1::Result& place = first == nullptr ? any_result : *first;
  const auto complain = [&](const RuleInfo& rule, const std::string& observed, const std::string& allowed) {
    complaints.push_back({&place, WaiverFinding(rule, gate.waivers.path, waiver, Subject(waiver), observed, allowed)});
  };
  if (expired) {
    complain(kExpiredWaiver, absl::StrCat("expired on ", waiver.expires, " (", waiver.reason, ")"),
             "until the end of that day in UTC");
  } else if (!waiver.unknown_targets.empty()) {
    complain(kUnusedWaiver,
             absl::StrCat("names '", absl::StrJoin(waiver.unknown_targets, "', '"), "', which is no target"),
             Scope(waiver));
  } else if (first != nullptr && !used) {
    complain(kUnusedWaiver, "matches no finding", Scope(waiver));
  } else {
    return first != nullptr;
  }
  return true;
}

void ApplyWaivers(const Gate& gate, absl::Span<v1::Report> reports) {
  const auto with_results =
      absl::c_find_if(reports, [](const v1::Report& report) { return report.results_size() > 0; });
  if (with_results == reports.end()) return;
  v1::Result& any_result = *with_results->mutable_results(0);
  std::vector<Complaint> complaints;
  std::vector<const WaiverEntry*> foreign;
  for (const WaiverEntry& waiver : gate.waivers.entries) {
    if (!ApplyWaiver(gate, waiver, reports, any_result, complaints)) foreign.push_back(&waiver);
  }
  if (!foreign.empty()) complaints.push_back({&any_result, ForeignFinding(gate.waivers.path, foreign)});
  for (Complaint& complaint : complaints) {  // only now: no waiver is about another
    SetSeverity(gate, complaint.finding);
    *complaint.result->add_findings() = std::move(complaint.finding);
  }
}

// What the baseline knows under another name is taken on a guess: whoever reads the report is to know.
void SayRenamed(const Gate& gate, absl::Span<const v1::Report* const> known, v1::Report& report) {
  if (known.empty() || !IsRenamed(*known.back(), report) || report.results().empty()) return;
  v1::Finding finding =
      GateFinding(kRenamedModel, "the baseline",
                  absl::StrCat("is about '", known.back()->model().path(), "', which has as many nodes and values"),
                  absl::StrCat("'", report.model().path(), "'"));
  SetSeverity(gate, finding);
  *report.mutable_results(0)->add_findings() = std::move(finding);
}

// The verdict again. It may be that of an older server, which does not say what it left unjudged.
void Decide(v1::Report::Mode mode, v1::Result& result) {
  if (result.unjudged_reason().empty()) result.set_unjudged_reason(result.verdict_reason());
  if (result.verdict() == v1::Result::UNKNOWN && result.unjudged_reason().empty()) return;
  DecideVerdict(mode == v1::Report::WARN ? mode : v1::Report::STRICT, result);
}

}  // namespace

void Gate::Apply(absl::Span<v1::Report> reports) const {
  if (fail_on.empty() && waivers.path.empty() && baseline.empty()) return;
  for (v1::Report& report : reports) {
    for (v1::Result& result : *report.mutable_results()) {
      for (v1::Finding& finding : *result.mutable_findings()) SetSeverity(*this, finding);
    }
  }
  const std::vector<std::vector<const v1::Report*>> known = BaselinesOf(baseline, reports);
  for (size_t i = 0; i < reports.size(); ++i) SayRenamed(*this, known[i], reports[i]);
  ApplyWaivers(*this, reports);
  for (size_t i = 0; i < reports.size(); ++i) {
    MarkKnown(known[i], reports[i]);
    for (v1::Result& result : *reports[i].mutable_results()) Decide(reports[i].mode(), result);
  }
}

absl::StatusOr<Gate> OpenGate(const std::string& waivers_path, const std::string& baseline_path, absl::Time now) {
  Gate gate;
  gate.now = now;
  if (!waivers_path.empty()) {
    absl::StatusOr<Waivers> waivers = ReadWaivers(waivers_path);
    if (!waivers.ok()) return waivers.status();
    gate.waivers = *std::move(waivers);
  }
  if (!baseline_path.empty()) {
    absl::StatusOr<std::vector<v1::Report>> baseline = ReadBaseline(baseline_path);
    if (!baseline.ok()) return baseline.status();
    gate.baseline = *std::move(baseline);
  }
  return gate;
}

}  // namespace quantgate
