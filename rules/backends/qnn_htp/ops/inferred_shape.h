// Sizes that do not go together.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_INFERRED_SHAPE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_INFERRED_SHAPE_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kInferredShape;  // GS203
void CheckInferredShape(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_INFERRED_SHAPE_H_
