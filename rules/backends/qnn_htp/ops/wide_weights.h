// 16-bit weights with 16-bit activations need V73, for every operator that takes them.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_WIDE_WEIGHTS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_WIDE_WEIGHTS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kWideWeights;  // DT201
void CheckWideWeights(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_WIDE_WEIGHTS_H_
