// What HTP makes of the scale of an integer bias.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BIAS_SCALE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BIAS_SCALE_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kBiasScale;  // FX201
void CheckBiasScale(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_BIAS_SCALE_H_
