// A Tanh of 16 bits whose zero point is measured.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OBSERVED_TANH_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OBSERVED_TANH_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kObservedTanh;  // FX206
void CheckObservedTanh(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OBSERVED_TANH_H_
