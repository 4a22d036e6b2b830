// Large numbers that constants and parameters of operators put into tensors: masks, what is filled in, what is padded
// with.
#ifndef QUANTGATE_RULES_VALUES_LARGEST_NUMBER_H_
#define QUANTGATE_RULES_VALUES_LARGEST_NUMBER_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rules/engine/context.h"
#include "rules/values/attained_range.h"
#include "rules/values/written_memory.h"

namespace quantgate {

// Whether a constant or a parameter of an operator is infinite.
bool HasInfinity(const CheckContext& context);

struct LargestNumber {
  double size = 0;        // infinity among them; 0: none is known
  bool surely = false;    // whatever the input of the model is, and nothing may have left it behind on the way
  bool uniform = false;   // every element is it, or minus it
  bool alone = false;     // the tensor has numbers of constants and parameters only: none is computed beside it
  bool is_fixed = false;  // no input of the model has a part in the tensor
  int sign = 0;           // of the number: -1 or 1; 0: it is not known, or there are both
};

// Made once for all rules of a check, context.Once(LargestNumbersOf); the graph is gone through when a rule first asks
// for a number. The context must outlive this.
class LargestNumbers {
 public:
  LargestNumbers(const Graph& graph, const AttainedRanges& ranges, const WrittenMemory& memory)
      : graph_(graph), ranges_(ranges), memory_(memory) {}

  // Of the tensor as it was made. What is assigned to it, or to a part, is among what nodes behind that compute.
  const LargestNumber& In(int32_t value) const;

 private:
  void FindAll() const;
  LargestNumber OfResult(int32_t node) const;
  LargestNumber OfMoved(int32_t node) const;
  LargestNumber OfSum(int32_t node) const;
  LargestNumber OfProduct(int32_t node) const;
  LargestNumber OfChosen(int32_t node) const;
  LargestNumber OfClamped(int32_t node) const;
  LargestNumber OfEither(int32_t node) const;
  LargestNumber OfAssigned(int32_t node) const;
  LargestNumber Operand(int32_t node, int input) const;
  LargestNumber WithAssigned(int32_t value) const;
  bool FollowsFrom(int32_t condition, int32_t value) const;

  const Graph& graph_;
  const AttainedRanges& ranges_;  // of what is fixed
  const WrittenMemory& memory_;
  mutable std::vector<LargestNumber> numbers_;
  mutable absl::flat_hash_map<int32_t, LargestNumber> assigned_;  // by memory
  mutable std::vector<bool> is_known_;  // of constants, which are looked at when something follows them
};

LargestNumbers LargestNumbersOf(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_LARGEST_NUMBER_H_
