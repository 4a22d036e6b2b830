// `quantgate serve`: flags, configuration file, and the server's life.
#ifndef QUANTGATE_SERVER_SERVE_COMMAND_H_
#define QUANTGATE_SERVER_SERVE_COMMAND_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"
#include "server/http/http_server.h"
#include "server/services/validator.h"

namespace CLI {
class App;
}

namespace quantgate {

// What the program that has the command gives to the server.
struct ServeParts {
  server::CheckFunction check;
  std::vector<const RuleInfo*> rules;  // for the catalog, by code
  std::function<void(ModuleRegistry&)> register_modules;
  // The constraint tables at the path of --tables; "": those of this installation.
  std::function<absl::StatusOr<std::unique_ptr<db::TableSource>>(const std::string& path)> open_tables;
  // What the HTTP endpoint needs of layers that the server does not know (server/http/http_server.h). Empty: it does
  // without.
  server::DecodeFunction decode;
  std::vector<std::string> import_command;
};

// Adds the subcommand. When it is chosen and flags are parsed, `*run` is set to what serves until SIGTERM or SIGINT.
// Its errors: INVALID_ARGUMENT, NOT_FOUND or FAILED_PRECONDITION for what was asked for and cannot be done, and those
// of the tables, the store and the address.
void AddServeCommand(CLI::App& app, std::function<absl::Status()>* run, ServeParts parts);

}  // namespace quantgate

#endif  // QUANTGATE_SERVER_SERVE_COMMAND_H_
