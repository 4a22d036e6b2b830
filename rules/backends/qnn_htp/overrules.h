// Where the vendor's own library contradicts the published table. Measured wins, and the finding says so.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OVERRULES_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OVERRULES_H_

#include "rules/constraints/backend_op.h"
#include "rules/constraints/matcher.h"

namespace quantgate::qnn_htp {

enum class Ruling : uint8_t {
  kStands,     // nothing measured contradicts it
  kTolerated,  // documented, not enforced, and the numbers come out right: a warning
  kReplaced,   // a rule of op_rules.cc says more exactly what happens: drop it
};

// Only for documented violations; a measured row is never overruled.
Ruling Overrule(const BackendOp& op, const Violation& violation);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OVERRULES_H_
