#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_RULE_LIST_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_RULE_LIST_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

// Every rule that only this backend has; rules of the constraint tables are shared and not among them.
std::vector<const RuleInfo*> OwnRules();

// Whether the library says the same of what the rule refuses when it is asked about the operator alone. Other rules are
// about the graph around it, or about the toolchain.
bool IsAboutOneOperator(absl::string_view code);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_RULE_LIST_H_
