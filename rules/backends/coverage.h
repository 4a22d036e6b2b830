// Rules that several backends have: about what could not be asked of a table at all, and what runs in float.
#ifndef QUANTGATE_RULES_BACKENDS_COVERAGE_H_
#define QUANTGATE_RULES_BACKENDS_COVERAGE_H_

#include "rules/engine/rule.h"

namespace quantgate {

extern const RuleInfo kNoQnnOperator;      // CV201: QNN backends only
extern const RuleInfo kNoBackendOperator;  // CV204
extern const RuleInfo kUnclearLowering;    // CV202: only ever "not checked"
extern const RuleInfo kRunsInFloat;        // CV205: quantized all around, and computed in float
extern const RuleInfo kOlderTable;         // EN201

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_COVERAGE_H_
