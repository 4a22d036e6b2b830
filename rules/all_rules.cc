#include "rules/all_rules.h"

#include <algorithm>
#include <cstring>

#include "rules/backends/backends.h"
#include "rules/constraints/matcher.h"
#include "rules/engine/file_errors.h"
#include "rules/engine/gate_rules.h"
#include "rules/engine/simulation_rules.h"
#include "rules/soundness/rules.h"

namespace quantgate {

std::vector<const RuleInfo*> AllRules() {
  std::vector<const RuleInfo*> rules = {&kUnreadableFile, &kFileBeyondLimit, &kExpiredWaiver,
                                        &kUnusedWaiver,   &kForeignWaiver,   &kRenamedModel};
  for (const Rule& rule : SoundnessRules()) rules.push_back(rule.info);
  for (const RuleInfo* rule : SimulationRules()) rules.push_back(rule);
  for (const RuleInfo* rule : ConstraintRules()) rules.push_back(rule);
  for (const RuleInfo* rule : BackendRules()) rules.push_back(rule);
  std::sort(rules.begin(), rules.end(),
            [](const RuleInfo* a, const RuleInfo* b) { return std::strcmp(a->code, b->code) < 0; });
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

}  // namespace quantgate
