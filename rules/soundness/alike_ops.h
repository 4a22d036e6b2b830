#ifndef QUANTGATE_RULES_SOUNDNESS_ALIKE_OPS_H_
#define QUANTGATE_RULES_SOUNDNESS_ALIKE_OPS_H_

#include <vector>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate {

// Calls check(op) for each operator, but of those that are alike (ResolvedOp::like) no more once one had no finding.
// What `check` says must follow from what they have in common: not from names, neighbors or what constants hold.
template <typename CheckOp>
void ForEachUnlikeOp(const CheckContext& context, FindingSink& sink, CheckOp check) {
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  std::vector<bool> sound(ops.size(), false);
  for (const ResolvedOp& op : ops) {
    if (op.like >= 0 && sound[op.like]) continue;
    const int64_t before = sink.added();
    check(op);
    if (op.like >= 0) sound[op.like] = sink.added() == before;
  }
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_ALIKE_OPS_H_
