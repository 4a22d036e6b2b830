// What this build can check, as catalog messages: one source for the CLI and the Catalog service.
#ifndef QUANTGATE_RULES_CATALOG_H_
#define QUANTGATE_RULES_CATALOG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/v1/catalog_service.pb.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"

namespace quantgate {

// Targets of one backend, sorted by name, each once however many SDK versions it has. Loads the module; its errors are
// returned.
absl::StatusOr<std::vector<v1::Target>> CatalogTargets(ModuleRegistry& modules, const std::string& backend);

// `rule` with its explanation; `backend` is set when exactly one module that loads has the rule.
v1::Rule CatalogRule(ModuleRegistry& modules, const RuleInfo& rule);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CATALOG_H_
