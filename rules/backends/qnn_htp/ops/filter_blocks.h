// Block scales of a convolution whose filter has more places than a block has channels.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FILTER_BLOCKS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FILTER_BLOCKS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kFilterBlocks;  // AX208
void CheckFilterBlocks(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FILTER_BLOCKS_H_
