// Bounds the memory of findings before they are rendered: a graph of a million nodes may have ten faults at each.
#ifndef QUANTGATE_RULES_ENGINE_FINDING_BUDGET_H_
#define QUANTGATE_RULES_ENGINE_FINDING_BUDGET_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "rules/engine/rule.h"

namespace quantgate {

struct FindingDraft;

// Findings that were made and are not listed, by rule.
using LeftOut = std::map<std::string, int64_t>;

// Shared by the sinks of all graphs of a model. What is left out depends on the order of the rules alone, and never is
// the first of a rule with its severity and effect; so a verdict by what is kept is a verdict by all.
class FindingBudget {
 public:
  // `max_of_rule`: whole findings of one rule with one severity and effect. `max_bytes`: of all of them, about.
  FindingBudget(int64_t max_of_rule, int64_t max_bytes) : max_of_rule_(max_of_rule), bytes_left_(max_bytes) {}

  // False: the draft is to be dropped, and is counted. A draft of a refused node stays as a place without text: it is
  // only known later whether the node runs elsewhere, which changes what the finding means.
  bool Admit(FindingDraft& draft);

  const LeftOut& left_out() const { return left_out_; }

 private:
  const int64_t max_of_rule_;
  int64_t bytes_left_;
  absl::flat_hash_map<std::tuple<const RuleInfo*, int, int>, int64_t> kept_;  // by rule, severity and effect
  LeftOut left_out_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_FINDING_BUDGET_H_
