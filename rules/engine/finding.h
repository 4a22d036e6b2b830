// Findings while they are made: ids instead of names; text is rendered once, at the end.
#ifndef QUANTGATE_RULES_ENGINE_FINDING_H_
#define QUANTGATE_RULES_ENGINE_FINDING_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "quantgate/v1/report.pb.h"
#include "rules/engine/finding_budget.h"
#include "rules/engine/rule.h"

namespace quantgate {

// 0-based ids; -1: not stated. `value` is what a user recognizes: the float tensor of an activation, the stored
// constant of a weight or bias.
struct Place {
  int32_t node = -1;
  int32_t input = -1;   // argument position in the origin's operator
  int32_t output = -1;  // output index
  int32_t value = -1;
  int64_t index = -1;  // channel or element
};

struct FindingSource {
  v1::Source::Kind kind = v1::Source::DEFINITION;
  std::string table;
  std::string row;
  std::string document;
};

struct FindingDraft {
  const RuleInfo* rule = nullptr;
  Place place;
  std::string observed;
  std::string allowed;
  FindingSource source;
  // Overrides of the rule's own effect and severity; UNSPECIFIED: the rule's.
  v1::Finding::Effect effect = v1::Finding::EFFECT_UNSPECIFIED;
  v1::Finding::Severity severity = v1::Finding::SEVERITY_UNSPECIFIED;
  std::string fix;                 // overrides the rule's
  int32_t group = 0;               // id of the sharing group it is about, 1-based; 0: none
  bool refused_when_read = false;  // of an encodings file: an error, REFUSED, where the toolchain reads the file
  bool bare = false;  // a place alone, beyond the budget: counted, listed only where no other says its severity
};

inline v1::Finding::Effect EffectOf(const FindingDraft& draft) {
  return draft.effect != v1::Finding::EFFECT_UNSPECIFIED ? draft.effect : draft.rule->effect;
}
inline v1::Finding::Severity SeverityOf(const FindingDraft& draft) {
  return draft.severity != v1::Finding::SEVERITY_UNSPECIFIED ? draft.severity : draft.rule->severity;
}

struct NotCheckedDraft {
  const RuleInfo* rule = nullptr;  // null: every rule
  int32_t node = -1;
  const std::string* reason = nullptr;  // of the sink; one text for the many nodes that have it
};

// Where rules write. Not thread-safe; one per (graph, target).
class FindingSink {
 public:
  // `budget` outlives the sink; null: everything is kept.
  explicit FindingSink(FindingBudget* budget = nullptr) : budget_(budget) {}

  void Add(const RuleInfo& rule, Place place, std::string observed, std::string allowed, FindingSource source = {}) {
    FindingDraft draft;
    draft.rule = &rule;
    draft.place = place;
    draft.observed = std::move(observed);
    draft.allowed = std::move(allowed);
    draft.source = std::move(source);
    Add(std::move(draft));
  }
  void Add(FindingDraft draft);
  void NotChecked(const RuleInfo* rule, int32_t node, std::string reason) {
    NotChecked({rule, node, &reasons_.emplace_back(std::move(reason))});
  }
  // A draft of this sink, for another node.
  void NotChecked(const NotCheckedDraft& draft) { not_checked_.push_back(draft); }
  std::vector<FindingDraft>& findings() { return findings_; }
  // How many findings were added, those beyond the budget included.
  int64_t added() const { return added_; }
  std::vector<NotCheckedDraft>& not_checked() { return not_checked_; }

 private:
  FindingBudget* budget_;
  int64_t added_ = 0;
  std::vector<FindingDraft> findings_;
  std::vector<NotCheckedDraft> not_checked_;
  std::deque<std::string> reasons_;  // stay where they are
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_FINDING_H_
