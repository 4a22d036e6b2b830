// Smallest and largest element of tensors that follow from constants and parameters alone: masks, counters, and what is
// made of them. Not bounds: an element is each of the two.
#ifndef QUANTGATE_RULES_VALUES_ATTAINED_RANGE_H_
#define QUANTGATE_RULES_VALUES_ATTAINED_RANGE_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "rules/engine/context.h"
#include "rules/values/written_memory.h"

namespace quantgate {

struct AttainedRange {
  bool known = false;
  double low = 0;           // -infinity where an element is
  double high = 0;          // true is 1, false is 0
  bool is_gapless = false;  // both are whole numbers, and all those between them are elements, as of a counter

  bool is_one_number() const { return known && low == high; }
  bool has_infinity() const { return known && (std::isinf(low) || std::isinf(high)); }
};

// Of what the message says of a constant. Not known where it has NaN, or counts infinities without saying which.
AttainedRange RangeOfElements(const v1::Value& constant);

// Made once for all rules of a check, context.Once(AttainedRangesOf); the graph is gone through when a rule first asks.
// The context must outlive this.
class AttainedRanges {
 public:
  AttainedRanges(const Graph& graph, const WrittenMemory& memory) : graph_(graph), memory_(memory) {}

  // When it was made; what is assigned to it later is no part of that.
  const AttainedRange& Of(int32_t value) const;
  // As the node reads it.
  AttainedRange At(int32_t value, int32_t node) const;

 private:
  void FindAll() const;
  AttainedRange OfResult(int32_t node) const;
  AttainedRange OfTriangle(int32_t node) const;
  AttainedRange OfCounting(int32_t node) const;
  AttainedRange OfPair(int32_t node) const;
  AttainedRange OfChosen(int32_t node) const;
  AttainedRange AtPort(int32_t node, int port) const;
  bool AllPairsMeet(int32_t node) const;

  const Graph& graph_;
  const WrittenMemory& memory_;
  mutable std::vector<AttainedRange> ranges_;
  mutable std::vector<bool> is_found_;  // constants are looked at when something follows from them
};

AttainedRanges AttainedRangesOf(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_ATTAINED_RANGE_H_
