// PAD in front of a convolution. Vela makes the convolution's own padding of one that adds zeros along height and
// width.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_PADDING_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_PADDING_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate::ethos_u {

// By node.
struct TakenPads {
  std::vector<bool> padded;  // a convolution whose padding came from a PAD
  std::vector<int32_t> pad;  // what a convolution took, with padding left of it or none; -1: nothing
  std::vector<bool> gone;    // a PAD that all readers took
};

// Vela goes from the outputs towards the inputs, and makes copies of a PAD as soon as it comes to it: a convolution
// that it comes to afterwards, as others read the PAD or it is an output itself, stays behind those. Linear time.
TakenPads PadsTaken(const CheckContext& context);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_PADDING_H_
