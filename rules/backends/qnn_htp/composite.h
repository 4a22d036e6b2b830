// ElementWiseBinary, ElementWiseUnary and ElementWiseNeuron: one operator for many, chosen by a parameter. Their
// published table is far too generous; asked, the library takes what the stand-alone operator takes (96.5 % of 1,336
// cases, the table 46 %).
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_COMPOSITE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_COMPOSITE_H_

#include "absl/strings/string_view.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/matcher.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kCompositeOperation;  // DT208

// Name of the stand-alone operator that does the same; "" when the operator is no composite or has no counterpart.
absl::string_view StandAloneName(const BackendOp& op);

// Comparisons and logical operations write a fixed-point output of either signedness, whatever the stand-alone row
// says.
bool TakesEitherSign(const BackendOp& op, PortRef port);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_COMPOSITE_H_
