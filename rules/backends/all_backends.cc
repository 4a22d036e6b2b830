#include "rules/backends/qnn_htp/module.h"
#include "rules/engine/module.h"

namespace quantgate {

void RegisterBuiltinModules(ModuleRegistry& registry) { registry.Register("qnn_htp", qnn_htp::LoadModule); }

}  // namespace quantgate
