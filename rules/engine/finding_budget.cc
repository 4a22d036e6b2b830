#include "rules/engine/finding_budget.h"

#include "rules/engine/finding.h"

namespace quantgate {
namespace {

int64_t Bytes(const FindingDraft& draft) {
  return sizeof(draft) + draft.observed.size() + draft.allowed.size() + draft.fix.size() + draft.source.table.size() +
         draft.source.row.size() + draft.source.document.size();
}

}  // namespace

bool FindingBudget::Admit(FindingDraft& draft) {
  // By what a toolchain may make of it: the first of those stays, too.
  const int effect = draft.refused_when_read ? v1::Finding::REFUSED : EffectOf(draft);
  int64_t& kept = kept_[{draft.rule, SeverityOf(draft), effect}];
  const int64_t bytes = Bytes(draft);
  if (kept == 0 || (kept < max_of_rule_ && bytes <= bytes_left_)) {
    ++kept;
    bytes_left_ -= bytes;
    return true;
  }
  if (EffectOf(draft) != v1::Finding::REFUSED) {
    ++left_out_[draft.rule->code];
    return false;
  }
  FindingDraft bare;
  bare.rule = draft.rule;
  bare.place = draft.place;
  bare.effect = draft.effect;
  bare.severity = draft.severity;
  bare.bare = true;
  draft = std::move(bare);
  return true;
}

}  // namespace quantgate
