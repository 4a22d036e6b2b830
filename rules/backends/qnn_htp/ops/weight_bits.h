// Widths of weights under a bit-width encoding: 4 with 8-bit activations, 2 or 4 with 16-bit ones; the three
// dimensional convolutions take no signed narrow weights, nobody takes unsigned per-channel ones of 4 bits.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_WEIGHT_BITS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_WEIGHT_BITS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kWeightBits;  // DT203
void CheckWeightBits(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_WEIGHT_BITS_H_
