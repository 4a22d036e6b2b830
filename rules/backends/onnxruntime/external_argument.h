// Arguments that shape inference reads when a model is loaded, before data outside of the file is there.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_EXTERNAL_ARGUMENT_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_EXTERNAL_ARGUMENT_H_

#include <cstdint>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kExternalArgument;  // GS510

// Of a node as it is written; `version`: the operator set of its domain. True: the model is not loaded.
bool CheckExternalArguments(const CheckContext& context, int32_t node, int version, const FindingSource& source,
                            FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_EXTERNAL_ARGUMENT_H_
