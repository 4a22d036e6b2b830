// Large numbers that are surely in a tensor: masks, what is filled in, what is padded with.
#ifndef QUANTGATE_RULES_SOUNDNESS_LARGEST_NUMBER_H_
#define QUANTGATE_RULES_SOUNDNESS_LARGEST_NUMBER_H_

#include "absl/container/flat_hash_map.h"
#include "rules/graph/graph.h"

namespace quantgate {

// Whether a constant or a parameter of an operator is infinite.
bool HasInfinity(const Graph& graph);

// However many ask of a tensor, what it is made of is looked at once. The graph must outlive it.
class LargestNumber {
 public:
  explicit LargestNumber(const Graph& graph) : graph_(graph) {}

  // The largest number by size that constants and parameters of operators put into the tensor, infinity among them; 0:
  // none is known.
  double In(int32_t value);

 private:
  double Find(int32_t value);
  double Operand(int32_t node);
  double Filled(int32_t node);

  const Graph& graph_;
  int steps_ = 0;
  absl::flat_hash_map<int32_t, double> constants_;
  absl::flat_hash_map<int32_t, double> filled_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_LARGEST_NUMBER_H_
