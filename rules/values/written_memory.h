// Which tensors are written over after they were made: exported programs assign to views, and whoever reads the tensor
// later reads what was assigned.
#ifndef QUANTGATE_RULES_VALUES_WRITTEN_MEMORY_H_
#define QUANTGATE_RULES_VALUES_WRITTEN_MEMORY_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate {

// Memory is counted by the value that was there first. What may be a copy of it, as a reshape, counts as sharing it.
class WrittenMemory {
 public:
  explicit WrittenMemory(const Graph& graph);

  // Whether what `node` reads as `value` is no longer what it was when it was made. Constants that are written keep
  // what they hold for the next call: for every node.
  bool IsOver(int32_t value, int32_t node) const { return !over_at_.empty() && node > over_at_[value]; }
  // The first value of the memory.
  int32_t MemoryOf(int32_t value) const { return memory_.empty() ? value : memory_[value]; }

 private:
  static constexpr int32_t kNever = INT32_MAX;

  std::vector<int32_t> memory_;   // by value; empty: nothing is written in place
  std::vector<int32_t> over_at_;  // by value: the node that writes
};

WrittenMemory WrittenMemoryOf(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_WRITTEN_MEMORY_H_
