// Which nodes Vela looks at: it drops what no output of the model depends on before it looks what the NPU takes.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_USED_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_USED_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate::ethos_u {

// By node. The shape that a RESHAPE is told and the size that a resize is are not looked at, where the operator is one
// for the NPU by its type: they are those of the output, and what computes them goes. Linear time.
std::vector<bool> UsedNodes(const CheckContext& context);

// By value: how often nodes read it that Vela looks at, and the last of them. The model's caller does not count.
struct Readers {
  int32_t count = 0;
  int32_t last = -1;

  int32_t sole() const { return count == 1 ? last : -1; }
};
std::vector<Readers> ReadersOf(const CheckContext& context);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_USED_H_
