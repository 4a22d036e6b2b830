// Nodes that ONNX Runtime lays out anew, channels last, for its QNN provider before the library is asked about them.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_LAID_OUT_ANEW_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_LAID_OUT_ANEW_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kLaidOutAnew;  // EN208

// Whether the node ends the creation of the session, by a refusal of the library's (`refused`) or of the provider's own
// after the layout has changed; said as EN208.
bool FindLaidOutAnew(const CheckContext& context, const ResolvedOp& op, bool refused, FindingSink& sink);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_LAID_OUT_ANEW_H_
