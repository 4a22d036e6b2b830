// What this build can check, as catalog messages: one source for the CLI and the Catalog service.
#ifndef QUANTGATE_RULES_CATALOG_H_
#define QUANTGATE_RULES_CATALOG_H_

#include <optional>
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

// The name in reports of a target that is called otherwise: by an alias, or in other case. Without an SDK, or with as
// much of its version as `text` has. Nothing: no target of this build with a SoC has such a name.
std::optional<std::string> NameInReports(const std::string& text, ModuleRegistry& modules);

// "qnn_htp@2.25" is the table qnn_htp@2.25.0, "qnn_htp" the newest. Unlike a target's, a version that has no table
// takes no other: who reads a table wants that one. NOT_FOUND with the nearest names; INVALID_ARGUMENT: no such name.
absl::StatusOr<db::TableInfo> FindTable(const db::TableSource& tables, const std::string& name);

// `rule` with its explanation; `backend` is set when exactly one module that loads has the rule.
v1::Rule CatalogRule(ModuleRegistry& modules, const RuleInfo& rule);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CATALOG_H_
