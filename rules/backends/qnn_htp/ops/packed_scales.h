// Pack with signed inputs of unequal scale is wrong.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PACKED_SCALES_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PACKED_SCALES_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kPackedScales;  // SH203
void CheckPackedScales(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PACKED_SCALES_H_
