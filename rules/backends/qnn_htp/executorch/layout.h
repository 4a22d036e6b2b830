// What the layout pass of ExecuTorch (channels_last.h) cannot put a Transpose behind.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_LAYOUT_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_LAYOUT_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kLayoutOfTuple;  // EN204

// Finds layer norms behind which the pass puts a Transpose, and marks them as the end of the export. Linear time.
void CheckLayout(const CheckContext& context, FindingSink& sink, ModuleResult& result);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_LAYOUT_H_
