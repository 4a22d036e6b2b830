// What moves numbers: slices, transposes, gathers, pads and their like.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_MOVEMENT_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_MOVEMENT_H_

#include "rules/backends/ethos_u/checks.h"

namespace quantgate::ethos_u {

Found StridedSlice(const Call& call);

Found Transpose(const Call& call);

Found ScatterNd(const Call& call);

Found Gather(const Call& call);

Found Splits(const Call& call);

Found ReverseOf(const Call& call);

// Of operators that move data; others take more axes as fewer.
Found MovedRank(const Call& call);

Found Tile(const Call& call);

Found NegativePads(const Call& call);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_MOVEMENT_H_
