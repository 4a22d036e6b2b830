// Assignments of an exported program that quantization parts from the tensor that they are meant for.
#ifndef QUANTGATE_RULES_VALUES_LOST_WRITES_H_
#define QUANTGATE_RULES_VALUES_LOST_WRITES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "rules/engine/context.h"

namespace quantgate {

// convert_pt2e puts a Quantize and a Dequantize in front of an operator that writes in place, or of the view that it
// writes into: a copy is written, and whoever reads the tensor later sees nothing of it. PyTorch takes the operator out
// when it lowers the program, and whatever was computed for it alone.
class LostWrites {
 public:
  explicit LostWrites(const CheckContext& context);

  // Node and the tensor that it writes for, in the order of the nodes.
  absl::Span<const std::pair<int32_t, int32_t>> tensors() const { return tensors_; }
  // Whether nothing that the node computes reaches an output of the graph or a buffer, for the lost writes alone.
  bool IsForNothing(int32_t node) const { return !for_nothing_.empty() && for_nothing_[node]; }

 private:
  std::vector<std::pair<int32_t, int32_t>> tensors_;
  std::vector<bool> for_nothing_;  // by node; empty: none
};

LostWrites LostWritesOf(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_LOST_WRITES_H_
