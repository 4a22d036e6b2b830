// Convert of a per-channel 8-bit table to 8 bits has no kernel.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_TABLE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_TABLE_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kPerChannelTable;  // AX206
void CheckPerChannelTable(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PER_CHANNEL_TABLE_H_
