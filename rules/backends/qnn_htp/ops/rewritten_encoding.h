// An output encoding that ONNX Runtime's provider rewrites.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_REWRITTEN_ENCODING_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_REWRITTEN_ENCODING_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kRewrittenEncoding;  // FX205
void CheckRewrittenEncoding(const BackendOp& op, const Target& target, OpReport& report);

// Whether the library is asked about another encoding of the output than the operator states.
bool IsRewritten(const BackendOp& op, const Target& target);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_REWRITTEN_ENCODING_H_
