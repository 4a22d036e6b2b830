// MatMul drops its bias, except with per-channel weights and a bias without a scale.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_MATMUL_BIAS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_MATMUL_BIAS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kMatMulBias;  // FX204
void CheckMatMulBias(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_MATMUL_BIAS_H_
