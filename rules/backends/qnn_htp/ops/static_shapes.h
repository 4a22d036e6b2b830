// Every size must be known.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_STATIC_SHAPES_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_STATIC_SHAPES_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kStaticShapes;  // GS201
void CheckStaticShapes(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_STATIC_SHAPES_H_
