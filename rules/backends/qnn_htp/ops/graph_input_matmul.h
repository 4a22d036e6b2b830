// A batched 16-bit MatMul of two graph inputs has no kernel.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GRAPH_INPUT_MATMUL_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GRAPH_INPUT_MATMUL_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kGraphInputMatMul;  // GS204
// Whether it is prepared only where one of its operands is not an input of the backend's graph.
bool NeedsOperatorInFront(const BackendOp& op);
void CheckGraphInputMatMul(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_GRAPH_INPUT_MATMUL_H_
