// Whether a node of domain com.microsoft is written as the runtime's schema has it. The general rules let later
// versions of that domain have more; this is one version of it.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_FORM_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_FORM_H_

#include <vector>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kUnlikeTypes;       // DT505
extern const RuleInfo kUnknownAttribute;  // GS503
extern const RuleInfo kFusedAttribute;    // GS505
extern const RuleInfo kUnknownArgument;   // GS507

// True: the session is not made. `types` by value (rules/onnx/element_types.h).
bool CheckForm(const CheckContext& context, const std::vector<v1::DataType>& types, int32_t node,
               const FindingSource& source, FindingSink& sink);

// The same for `fused`, the operator that the optimizer makes of the node and gives the node's attributes.
bool CheckFusedForm(const Graph& graph, int32_t node, absl::string_view fused, const FindingSource& source,
                    FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_FORM_H_
