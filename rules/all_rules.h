// Every rule of this build.
#ifndef QUANTGATE_RULES_ALL_RULES_H_
#define QUANTGATE_RULES_ALL_RULES_H_

#include <vector>

#include "rules/engine/rule.h"

namespace quantgate {

// Metadata, by code; loads no module.
std::vector<const RuleInfo*> AllRules();

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ALL_RULES_H_
