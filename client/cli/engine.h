// The engine in this process: tables and modules.
#ifndef QUANTGATE_CLIENT_CLI_ENGINE_H_
#define QUANTGATE_CLIENT_CLI_ENGINE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "db/database.h"
#include "rules/engine/module.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace quantgate {

// "--tables PATH".
CLI::Option* AddTablesFlag(CLI::App& command, std::string& path);

// Where OpenTables finds them.
std::string TablesFile(const std::string& path);

// `path` empty: as Database::OpenDefault.
absl::StatusOr<std::unique_ptr<db::Database>> OpenTables(const std::string& path);

struct Engine {
  std::unique_ptr<db::Database> tables;
  std::unique_ptr<ModuleRegistry> modules;  // every module of this build, none loaded
};

absl::StatusOr<Engine> OpenEngine(const std::string& tables_path);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_ENGINE_H_
