// The backends of this build. To add one: a folder beside this file with its module, a line in backends.cc.
#ifndef QUANTGATE_RULES_BACKENDS_BACKENDS_H_
#define QUANTGATE_RULES_BACKENDS_BACKENDS_H_

#include <vector>

#include "rules/engine/rule.h"

namespace quantgate {

// Metadata of the rules of all backends; loads no module.
std::vector<const RuleInfo*> BackendRules();

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_BACKENDS_H_
