// How many scales and zero points the integer kernels take, and which they cannot do without.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_PARAMETERS_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_PARAMETERS_H_

#include "rules/backends/onnxruntime/kernel_call.h"
#include "rules/engine/module.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kParameterShape;    // AX501
extern const RuleInfo kOtherAxis;         // AX504
extern const RuleInfo kMissingZeroPoint;  // GS501

// True: the kernel refuses its parameters.
bool CheckParameters(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_PARAMETERS_H_
