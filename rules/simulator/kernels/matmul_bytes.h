// Products of 8-bit matrices as products of bytes. The same results as Multiply's other ways (matmul.cc).
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_MATMUL_BYTES_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_MATMUL_BYTES_H_

#include <cstdint>

#include "rules/simulator/kernel.h"
#include "rules/simulator/kernels/products.h"

namespace quantgate::simulator {

// One matrix of `b` from element `offset` on, as (columns, depth) with its scales along axis 0; `transpose`: it is
// (depth, columns).
QTensor MatrixOf(const QTensor& b, int64_t offset, int64_t columns, int64_t depth, bool transpose);

// a (rows, depth), from element a_offset on, times `w` (columns, depth), whose elements are bytes (AreBytes), into
// `out` from out_offset on. FitsBytes is true.
void MultiplyBytes(const QTensor& a, int64_t a_offset, int64_t rows, const QTensor& w,
                   const Requantization& requantization, AccumulatorUse* use, Tensor& out, int64_t out_offset);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_MATMUL_BYTES_H_
