// Convolutions, pools and resizes: what windows, strides and factors the NPU takes.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_WINDOWS_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_WINDOWS_H_

#include "rules/backends/ethos_u/checks.h"

namespace quantgate::ethos_u {

// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV.
Found Convolution(const Call& call);

// AVERAGE_POOL_2D and MAX_POOL_2D.
Found Pool(const Call& call);

Found Resize(const Call& call);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_WINDOWS_H_
