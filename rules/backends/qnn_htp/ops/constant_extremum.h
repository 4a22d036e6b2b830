// Minimum and maximum of a tensor and a constant of its shape.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_CONSTANT_EXTREMUM_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_CONSTANT_EXTREMUM_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kConstantExtremum;  // GS206
void CheckConstantExtremum(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_CONSTANT_EXTREMUM_H_
