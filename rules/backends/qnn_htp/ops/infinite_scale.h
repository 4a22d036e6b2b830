// Tensors whose scale is no finite number.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_INFINITE_SCALE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_INFINITE_SCALE_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kInfiniteScale;  // NR202
void CheckInfiniteScale(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_INFINITE_SCALE_H_
