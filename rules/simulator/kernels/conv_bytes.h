// Convolutions of 8-bit tensors with their channels first, as products of bytes. The same results as Conv's other ways.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_CONV_BYTES_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_CONV_BYTES_H_

#include "rules/simulator/kernel.h"
#include "rules/simulator/kernels/conv_geometry.h"
#include "rules/simulator/kernels/products.h"

namespace quantgate::simulator {

// At most two spatial axes, not transposed, weights that are bytes without their zero points, and sums that cannot
// leave 32 bits.
bool ConvBytesTakes(const KernelCall& call, const Geometry& g, const Requantization& requantization);

// `out` has room for the result.
void ConvBytes(const KernelCall& call, const Geometry& g, const Requantization& requantization, Tensor& out);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_CONV_BYTES_H_
