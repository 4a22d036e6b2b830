#include "client/gate/gate.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/gate/baseline.h"
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

v1::Finding WaiverFinding(const RuleInfo& rule, const Waivers& waivers, const WaiverEntry& waiver,
                          const std::string& observed, const std::string& allowed) {
  v1::Finding finding;
  finding.set_code(rule.code);
  finding.set_rule(rule.name);
  finding.set_severity(rule.severity);
  finding.set_effect(rule.effect);
  finding.mutable_location()->set_source_line(absl::StrCat(ToUtf8(waivers.path), ":", waiver.line));
  finding.set_observed(observed);
  finding.set_allowed(allowed);
  const std::string subject = absl::StrCat("the waiver of ", absl::StrJoin(waiver.rules, ", "));
  finding.set_message(
      absl::StrReplaceAll(rule.message, {{"{subject}", subject}, {"{observed}", observed}, {"{allowed}", allowed}}));
  finding.set_fix(rule.fix);
  finding.mutable_source()->set_kind(v1::Source::DEFINITION);
  return finding;
}

// What is wrong with a waiver, for the result that says so.
struct Complaint {
  v1::Result* result;
  v1::Finding finding;
};

void ApplyWaiver(const Gate& gate, const WaiverEntry& waiver, absl::Span<v1::Report> reports,
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
  if (first == nullptr) {
    if (!expired) return;  // of another run
    // It has run out for whatever it was written for, a model of another name included: any result can say so.
    for (v1::Report& report : reports) {
      if (first == nullptr && report.results_size() > 0) first = report.mutable_results(0);
    }
    if (first == nullptr) return;
  }
  if (expired) {
    complaints.push_back({first, WaiverFinding(kExpiredWaiver, gate.waivers, waiver,
                                               absl::StrCat("expired on ", waiver.expires, " (", waiver.reason, ")"),
                                               "until the end of that day in UTC")});
  } else if (!used) {
    complaints.push_back(
        {first, WaiverFinding(kUnusedWaiver, gate.waivers, waiver, "matches no finding", Scope(waiver))});
  }
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
  std::vector<Complaint> complaints;
  for (const WaiverEntry& waiver : waivers.entries) ApplyWaiver(*this, waiver, reports, complaints);
  for (Complaint& complaint : complaints) {  // only now: no waiver is about another
    SetSeverity(*this, complaint.finding);
    *complaint.result->add_findings() = std::move(complaint.finding);
  }
  std::vector<std::string> models;
  models.reserve(reports.size());
  for (const v1::Report& report : reports) models.push_back(report.model().path());
  const std::vector<const v1::Report*> known = BaselinesOf(baseline, models);
  for (size_t i = 0; i < reports.size(); ++i) {
    if (known[i] != nullptr) MarkKnown(*known[i], reports[i]);
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
