// Operators that pass validation in float on V68 and have no kernel there.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FLOAT_KERNELS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FLOAT_KERNELS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kFloatKernels;  // DT205
void CheckFloatKernels(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_FLOAT_KERNELS_H_
