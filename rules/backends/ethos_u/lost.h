// Outputs of a model that Vela loses: it makes one of several operators, looks who reads the values between them, and
// does not look whether they are outputs of the model. The compiled model has those still, and no operator writes them.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_LOST_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_LOST_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate::ethos_u {

struct LostOutput {
  int32_t value;
  const char* where;  // "between two TRANSPOSE that become one"
};

// `on_cpu`: by node. Those are not touched. Linear time.
std::vector<LostOutput> LostOutputs(const CheckContext& context, const std::vector<bool>& on_cpu);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_LOST_H_
