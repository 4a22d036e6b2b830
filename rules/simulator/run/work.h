// How much a simulation computes before it is ended: what no model means would take hours, and a small file can ask
// for it.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_WORK_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_WORK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "rules/operators/op_id.h"
#include "rules/simulator/attributes.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// Of one run, with all bodies of control flow in it. Used by one thread at a time. In multiplications, of which a
// processor does some 10^10 in a second.
class WorkBudget {
 public:
  // RESOURCE_EXHAUSTED: one result of a node takes more than 2^37, or all of the run more than 2^41. `results`: times
  // that it is computed.
  absl::Status SpendOnNode(int64_t work, int results);
  // The same for the bytes of a tensor that is written and measured.
  absl::Status SpendOnBytes(int64_t bytes);
  // One more round of a loop; false: there were a million.
  bool NextRound() { return --rounds_ >= 0; }

 private:
  absl::Status Spend(int64_t work);

  int64_t left_ = int64_t{1} << 41;
  int64_t rounds_ = 1'000'000;
};

// Multiplications of one result, of operators that take more of them than there are elements; 0: others, and calls
// that the kernel will refuse. `inputs` in the order of the canonical operator's ports; null: omitted.
int64_t WorkOf(OpId op, Layout layout, const Attributes& attributes, absl::Span<const QTensor* const> inputs);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_WORK_H_
