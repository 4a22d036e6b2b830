#include "client/cli/engine.h"

#include "CLI/CLI.hpp"

namespace quantgate {

CLI::Option* AddTablesFlag(CLI::App& command, std::string& path) {
  return command.add_option("--tables", path, "Constraint database; by default the one that came with this program")
      ->type_name("PATH");
}

std::string TablesFile(const std::string& path) { return path.empty() ? db::Database::DefaultPath() : path; }

absl::StatusOr<std::unique_ptr<db::Database>> OpenTables(const std::string& path) {
  return path.empty() ? db::Database::OpenDefault() : db::Database::Open(path);
}

absl::StatusOr<Engine> OpenEngine(const std::string& tables_path) {
  auto tables = OpenTables(tables_path);
  if (!tables.ok()) return tables.status();
  Engine engine;
  engine.tables = *std::move(tables);
  engine.modules = std::make_unique<ModuleRegistry>(*engine.tables);
  RegisterBuiltinModules(*engine.modules);
  return engine;
}

}  // namespace quantgate
