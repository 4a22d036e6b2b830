// Rules about what could not be asked of the table at all.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_COVERAGE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_COVERAGE_H_

#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kNoQnnOperator;    // CV201
extern const RuleInfo kUnclearLowering;  // CV202: only ever "not checked"
extern const RuleInfo kOlderTable;       // EN201

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_COVERAGE_H_
