// QNN tensors state their quantization when the graph is made.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_DYNAMIC_QPARAMS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_DYNAMIC_QPARAMS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kDynamicQparams;  // QS202
void CheckDynamicQparams(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_DYNAMIC_QPARAMS_H_
