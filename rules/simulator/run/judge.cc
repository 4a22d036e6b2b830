#include "rules/simulator/run/judge.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/engine/simulation_rules.h"
#include "rules/simulator/run/simulate.h"

namespace quantgate::simulator {
namespace {

// A calibrated 8-bit tensor keeps 30 dB and more; at 10 a third of the amplitude is noise.
constexpr double kLeastSqnr = 10;
constexpr double kMostSaturated = 0.05;
constexpr double kMostVanished = 0.99;
// Rounding explains a step for each node in front that rounds differently, a few in all.
constexpr double kMostDifference = 16;

class Judging {
 public:
  Judging(const Graph& graph, v1::Report& report, v1::Result& result)
      : graph_(graph), report_(report), result_(result) {
    for (int32_t node = 0; node < graph.num_nodes(); ++node) ids_.try_emplace(NodeName(graph, node), node);
  }

  void Run() {
    int missing = 0;
    for (const v1::SimulatedNode& node : report_.simulation().nodes()) {
      if (absl::StartsWith(node.float_reason(), kNotComputed)) {
        ++missing;
      } else {
        JudgeNode(node);
      }
    }
    const bool errors =
        std::any_of(result_.findings().begin(), result_.findings().end(),
                    [](const v1::Finding& finding) { return finding.severity() == v1::Finding::ERROR; });
    const bool warnings =
        std::any_of(result_.findings().begin(), result_.findings().end(),
                    [](const v1::Finding& finding) { return finding.severity() == v1::Finding::WARNING; });
    result_.set_verdict(errors        ? v1::Result::REJECTED
                        : missing > 0 ? v1::Result::UNKNOWN
                        : warnings    ? v1::Result::ACCEPTED_WITH_WARNINGS
                                      : v1::Result::ACCEPTED);
    if (missing > 0) {
      const std::string reason = absl::StrCat(missing, missing == 1 ? " node was" : " nodes were", " not computed");
      result_.set_unjudged_reason(reason);
      if (!errors) result_.set_verdict_reason(reason);
    }
  }

 private:
  void JudgeNode(const v1::SimulatedNode& node) {
    const double own = node.has_own_sqnr_db() ? node.own_sqnr_db() : 1000;
    bool bad = false;
    if (own < kLeastSqnr) {
      Add(kLostPrecision, node, absl::StrFormat("%.1f dB", own), absl::StrFormat("at least %.0f dB", kLeastSqnr));
      bad = true;
    }
    const double saturated = node.saturated_fraction() - node.zero_fraction();
    if (saturated > kMostSaturated && node.max_abs_error_lsb() > 1) {
      Add(kSaturatedValues, node, Percent(saturated), absl::StrCat("at most ", Percent(kMostSaturated)));
    }
    const int available = node.accumulator_bits_available();
    if (available > 0 && node.accumulator_bits() > available) {
      Add(kAccumulatorOverflow, node, absl::StrCat(node.accumulator_bits()), absl::StrCat(available));
      bad = true;
    } else if (available > 0 && node.accumulator_bits_worst_case() > available) {
      Add(kPossibleOverflow, node, absl::StrCat(node.accumulator_bits_worst_case()), absl::StrCat(available));
    }
    if (node.max_space_difference_lsb() > kMostDifference) {
      Add(kKernelDisagreement, node, FormatNumber(node.max_space_difference_lsb()),
          absl::StrCat("at most ", FormatNumber(kMostDifference)));
    }
    // The reference is not zero there: something was lost.
    if (node.zero_fraction() > kMostVanished && node.has_own_sqnr_db() && own < 1) {
      Add(kVanishedValues, node, Percent(node.zero_fraction()), absl::StrCat("at most ", Percent(kMostVanished)));
    }
    if (bad && report_.simulation().first_bad_node().empty()) {
      report_.mutable_simulation()->set_first_bad_node(node.node());
    }
  }

  static std::string Percent(double fraction) { return absl::StrFormat("%.4g%%", 100 * fraction); }

  void Add(const RuleInfo& rule, const v1::SimulatedNode& node, std::string observed, std::string allowed) {
    FindingDraft draft;
    draft.rule = &rule;
    const auto found = ids_.find(node.node());
    if (found != ids_.end()) {
      draft.place.node = found->second;
      if (node.output() < graph_.num_outputs(found->second)) {
        draft.place.output = node.output();
        draft.place.value = graph_.output(found->second, node.output());
      }
    }
    draft.observed = std::move(observed);
    draft.allowed = std::move(allowed);
    draft.source.document = absl::StrCat("simulated, ", report_.simulation().profile());
    RenderFinding(graph_, "", draft, *result_.add_findings());
  }

  const Graph& graph_;
  v1::Report& report_;
  v1::Result& result_;
  absl::flat_hash_map<std::string, int32_t> ids_;
};

}  // namespace

void Judge(const Graph& graph, const std::string& target, v1::Report& report) {
  v1::Result& result = *report.add_results();
  result.set_target(target);
  Judging(graph, report, result).Run();
}

}  // namespace quantgate::simulator
