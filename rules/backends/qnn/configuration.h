// Operators that are the same but for their names and constants. A model repeats a few, so what was found of one holds
// for the others.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_CONFIGURATION_H_
#define QUANTGATE_RULES_BACKENDS_QNN_CONFIGURATION_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate::qnn {

// Writes all that lowering and the rules about the lowered operators may read of a node, except what its constants
// hold: the operator with its parameters, and per operand type, range, parameters, shape and where it comes from. Equal
// configurations of one graph are judged alike as long as nobody looks into constants (Emission notes that). False: the
// node has an operand that is quantized like no other.
bool ConfigurationOf(const CheckContext& context, const ResolvedOp& op, std::vector<int32_t>& configuration);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_CONFIGURATION_H_
