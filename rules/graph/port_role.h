// What operators take at their inputs. Of every binding, arguments that are data name ports that the operator has.
#ifndef QUANTGATE_RULES_GRAPH_PORT_ROLE_H_
#define QUANTGATE_RULES_GRAPH_PORT_ROLE_H_

#include "rules/graph/resolve.h"
#include "rules/operators/operator.h"

namespace quantgate {

// Of the argument at position `index` (Graph::argument). kParameter also where it is no data: a scale, a zero point, or
// beyond the last.
inline PortRole RoleAt(const Binding& binding, int index) {
  const Argument argument = ArgumentAt(binding, index);
  return argument.role == ArgRole::kData ? binding.op->inputs[argument.port].role : PortRole::kParameter;
}

// Of an input operand of `op`. kParameter: the operator is not known.
inline PortRole RoleOf(const ResolvedOp& op, const Operand& input) {
  return op.op == nullptr ? PortRole::kParameter : op.op->inputs[input.port].role;
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_PORT_ROLE_H_
