// What the passes of ExecuTorch 1.5.1 that make two dimensions of one get wrong.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_ONE_DIMENSION_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_ONE_DIMENSION_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kPoolWithoutConvert;  // EN230
extern const RuleInfo kBlocksOfConv1d;      // EN231

// Whether a pool is refused the Convert in front of it, which ends the export; said as EN230.
bool FindPoolWithoutConvert(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether a pass ends over the filter's blocks, before any node is asked about; said as EN231.
bool FindBlocksOfConv1d(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_ONE_DIMENSION_H_
