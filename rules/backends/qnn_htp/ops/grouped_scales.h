// Scales per channel of transposed convolutions in groups.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GROUPED_SCALES_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GROUPED_SCALES_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kGroupedScales;  // AX207
void CheckGroupedScales(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GROUPED_SCALES_H_
