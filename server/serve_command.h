// `quantgate serve`: flags, configuration file, and the server's life.
#ifndef QUANTGATE_SERVER_SERVE_COMMAND_H_
#define QUANTGATE_SERVER_SERVE_COMMAND_H_

#include <functional>

namespace CLI {
class App;
}

namespace quantgate {

// Adds the subcommand. When it is chosen and flags are parsed, `*run` is set to what serves until SIGTERM or SIGINT and
// returns the exit code.
void AddServeCommand(CLI::App& app, std::function<int()>* run);

}  // namespace quantgate

#endif  // QUANTGATE_SERVER_SERVE_COMMAND_H_
