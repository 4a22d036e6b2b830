// `quantgate serve`: flags, configuration file, and the server's life.
#ifndef QUANTGATE_SERVER_SERVE_COMMAND_H_
#define QUANTGATE_SERVER_SERVE_COMMAND_H_

#include <functional>
#include <string>
#include <vector>

#include "server/http/http_server.h"

namespace CLI {
class App;
}

namespace quantgate {

// What the HTTP endpoint needs of layers that the server does not know (server/http/http_server.h). Empty: it does
// without.
struct ServeHandlers {
  server::DecodeFunction decode;
  std::vector<std::string> import_command;
};

// Adds the subcommand. When it is chosen and flags are parsed, `*run` is set to what serves until SIGTERM or SIGINT and
// returns the exit code.
void AddServeCommand(CLI::App& app, std::function<int()>* run, ServeHandlers handlers = {});

}  // namespace quantgate

#endif  // QUANTGATE_SERVER_SERVE_COMMAND_H_
