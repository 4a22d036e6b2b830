// A module that judges by a table, and by what a few functions have to say beside it.
#ifndef QUANTGATE_RULES_BACKENDS_TABLE_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_TABLE_MODULE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/backends/table_judge.h"
#include "rules/engine/module.h"

namespace quantgate {

struct TableModule {
  std::string name;         // of the backend and of its tables
  std::string definitions;  // the family of its operators' definitions
  TableBackend table;
  std::vector<const RuleInfo*> rules;  // that are not those of tables
  std::function<absl::StatusOr<Target>(const db::TableSource& tables, const TargetName& name)> resolve;
  std::vector<std::string> socs;  // the second parts that targets are listed with; "": none
};

// FAILED_PRECONDITION when the database has no table of it. `tables` must outlive the module.
absl::StatusOr<std::unique_ptr<Module>> LoadTableModule(TableModule backend, const db::TableSource& tables);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_TABLE_MODULE_H_
