#include "rules/backends/backends.h"

#include "rules/backends/qnn_htp/module.h"
#include "rules/backends/qnn_htp/rule_list.h"
#include "rules/engine/module.h"

namespace quantgate {

void RegisterBuiltinModules(ModuleRegistry& registry) { registry.Register("qnn_htp", qnn_htp::LoadModule); }

std::vector<const RuleInfo*> BackendRules() { return qnn_htp::OwnRules(); }

}  // namespace quantgate
