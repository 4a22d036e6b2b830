// What is to be said of waivers and baselines. The gate (client/gate) adds these to a finished report; no check of a
// graph finds them.
#ifndef QUANTGATE_RULES_ENGINE_GATE_RULES_H_
#define QUANTGATE_RULES_ENGINE_GATE_RULES_H_

#include "rules/engine/rule.h"

namespace quantgate {

extern const RuleInfo kExpiredWaiver;  // EN301
extern const RuleInfo kUnusedWaiver;   // EN302
extern const RuleInfo kForeignWaiver;  // EN303
extern const RuleInfo kRenamedModel;   // EN304

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_GATE_RULES_H_
