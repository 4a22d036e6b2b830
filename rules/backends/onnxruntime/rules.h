// What ONNX Runtime's CPU provider refuses or computes beside element types, which are in the table.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_RULES_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_RULES_H_

#include "rules/engine/rule.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kModelTooNew;   // EN501
extern const RuleInfo kOpsetTooOld;   // EN502
extern const RuleInfo kSameNodeName;  // EN503
extern const RuleInfo kOuterValue;    // GS508
extern const RuleInfo kNoKernel;      // CV501
extern const RuleInfo kKernelTypes;   // DT501
extern const RuleInfo kFusedTypes;    // DT502
extern const RuleInfo kOtherOrigin;   // CV502: only ever "not checked"

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_RULES_H_
