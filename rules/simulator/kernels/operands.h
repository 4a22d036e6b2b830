// Two operands of an element-wise kernel.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_OPERANDS_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_OPERANDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// Both operands, broadcast.
struct Operands {
  std::vector<int64_t> dims;
  std::vector<int64_t> a_index, b_index;  // empty: the same element
  size_t a(size_t i) const { return a_index.empty() ? i : static_cast<size_t>(a_index[i]); }
  size_t b(size_t i) const { return b_index.empty() ? i : static_cast<size_t>(b_index[i]); }
};

absl::StatusOr<Operands> OperandsOf(const QTensor& a, const QTensor& b);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_OPERANDS_H_
