// Operators that copy integers and ignore the output's encoding.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_IGNORED_OUTPUT_ENCODING_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_IGNORED_OUTPUT_ENCODING_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kIgnoredOutputEncoding;  // SH202
void CheckIgnoredOutputEncoding(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_IGNORED_OUTPUT_ENCODING_H_
