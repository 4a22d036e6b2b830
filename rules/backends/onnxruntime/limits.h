// What an operator's definition allows and its CPU kernel does not compute: attributes, ranks, and arguments without a
// name.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_LIMITS_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_LIMITS_H_

#include "rules/backends/onnxruntime/kernel_call.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kNotImplemented;  // GS506

// Of a node as it is written. True: the session is not made, or ends where the node runs.
bool CheckLimits(const CheckContext& context, const KernelCall& call, const FindingSource& source, FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_LIMITS_H_
