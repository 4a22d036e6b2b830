// Block scales of a linear layer with many outputs.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_LINEAR_BLOCKS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_LINEAR_BLOCKS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kLinearBlocks;  // AX209
void CheckLinearBlocks(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_LINEAR_BLOCKS_H_
