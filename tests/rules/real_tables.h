// Checks of graphs against the shipped tables, with all modules of this build: one registry a process, as in a server.
#ifndef QUANTGATE_TESTS_RULES_REAL_TABLES_H_
#define QUANTGATE_TESTS_RULES_REAL_TABLES_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "db/database.h"
#include "rules/check.h"

namespace quantgate::testing {

inline const db::Database& RealTables() {
  static const db::Database* database = db::Database::Open(QUANTGATE_TABLES_FILE).value().release();
  return *database;
}

inline ModuleRegistry& RealModules() {
  static ModuleRegistry* modules = [] {
    auto* made = new ModuleRegistry(RealTables());
    RegisterBuiltinModules(*made);
    return made;
  }();
  return *modules;
}

// The report of a check that answers. `target` "": target-independent rules alone.
inline v1::Report CheckOn(const v1::Graph& graph, const std::string& target, CheckOptions options = {},
                          ModuleRegistry& modules = RealModules()) {
  if (!target.empty()) options.targets = {target};
  v1::Report report;
  const absl::Status status = Check(graph, options, modules, report);
  EXPECT_TRUE(status.ok()) << status;
  return report;
}

// What one target says, or why it does not.
inline absl::StatusOr<v1::Result> Ask(const v1::Graph& graph, const std::string& target,
                                      ModuleRegistry& modules = RealModules()) {
  CheckOptions options;
  options.targets = {target};
  v1::Report report;
  if (absl::Status status = Check(graph, options, modules, report); !status.ok()) return status;
  return std::move(*report.mutable_results(0));
}

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_REAL_TABLES_H_
