// Sums of products of integers whose zero points are tensors: what MatMulInteger and its kin compute. The sums are
// exact, and wrap at 32 bits. With `exact` false operands may be real numbers, and nothing wraps: the float reference.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_INTEGER_PRODUCTS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_INTEGER_PRODUCTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "rules/simulator/attributes.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

struct IntegerOperand {
  const Tensor* tensor = nullptr;      // must be there
  const Tensor* zero_point = nullptr;  // one, or one for each row of the first and column of the second; null: 0
};

// UNIMPLEMENTED: a form that is not computed; INVALID_ARGUMENT: shapes that do not meet.
absl::Status IntegerMatMul(const IntegerOperand& a, const IntegerOperand& b, bool exact, Tensor& out);
absl::Status IntegerConv(const IntegerOperand& data, const IntegerOperand& weight, const Attributes& attributes,
                         bool exact, Tensor& out);

// The sums times both scales (b's may be one for each column), plus a bias of reals, in float32. Scales must be there.
absl::Status ScaledMatMul(const IntegerOperand& a, const IntegerOperand& b, const Tensor* a_scale,
                          const Tensor* b_scale, const Tensor* bias, bool exact, Tensor& out);

// Numbers as elements of float32, uint8 or int32, which wraps.
absl::Status WriteNumbers(v1::DataType type, const std::vector<int64_t>& dims, absl::Span<const double> numbers,
                          Tensor& out);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_INTEGER_PRODUCTS_H_
