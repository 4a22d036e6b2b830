// A bit-width encoding of all eight bits.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FULL_WIDTH_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FULL_WIDTH_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kFullWidth;  // QS204
void CheckFullWidth(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FULL_WIDTH_H_
