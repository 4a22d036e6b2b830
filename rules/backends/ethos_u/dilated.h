// SPACE_TO_BATCH_ND, a convolution and BATCH_TO_SPACE_ND: how older converters write dilation. Vela makes one
// convolution of the three before it looks what the NPU takes.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_DILATED_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_DILATED_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate::ethos_u {

// The node is the first or the last of three such, of integers, each with one reader that is looked at, without an
// activation and with strides up to 3; a RESHAPE or EXPAND_DIMS that only adds or drops axes of size 1 may stand on
// either side of the convolution.
bool IsMergedIntoConvolution(const CheckContext& context, int32_t node);

// The values between the three.
std::vector<int32_t> InsideDilated(const CheckContext& context);

// A RESHAPE, EXPAND_DIMS or SQUEEZE that only adds or drops axes of size 1.
bool OnlyMovesOnes(const Graph& graph, int32_t node);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_DILATED_H_
