// GroupNorm needs gamma and beta.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GROUP_NORM_PARAMETERS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GROUP_NORM_PARAMETERS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kGroupNormParameters;  // GS202
void CheckGroupNormParameters(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GROUP_NORM_PARAMETERS_H_
