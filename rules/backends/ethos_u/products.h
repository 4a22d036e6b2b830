// Sums of products: their weights, biases and sizes.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_PRODUCTS_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_PRODUCTS_H_

#include "rules/backends/ethos_u/checks.h"

namespace quantgate::ethos_u {

// The largest sum of a channel's weights is beyond what an accumulator holds. Sums are not known where the weights are
// not here: then what the smallest and largest weight allow.
Found WeightSum(const Call& call);

Found BiasShape(const Call& call);

// Sums of bytes are of 32 bits on Ethos-U85.
Found WideBias(const Call& call);

Found ComputedWeights(const Call& call);

Found MatMul(const Call& call);

Found FullyConnected(const Call& call);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_PRODUCTS_H_
