#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_RULE_LIST_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_RULE_LIST_H_

#include <vector>

#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

// Every rule that only this backend has; rules of the constraint tables are shared and not among them.
std::vector<const RuleInfo*> OwnRules();

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_RULE_LIST_H_
