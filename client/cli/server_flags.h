// Flags of the commands that can ask a server.
#ifndef QUANTGATE_CLIENT_CLI_SERVER_FLAGS_H_
#define QUANTGATE_CLIENT_CLI_SERVER_FLAGS_H_

#include <memory>
#include <string>
#include <vector>

#include "client/cli/overwrite.h"
#include "client/remote/remote.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace quantgate {

struct ServerFlags {
  CLI::Option* server = nullptr;  // given or not
  std::string address;
  double timeout_seconds = 60;
  RemoteOptions options;
};

// --server, --timeout, --tls, --tls-ca, --tls-cert, --tls-key. All but --server need --server when `need_server`.
std::shared_ptr<ServerFlags> AddServerFlags(CLI::App& command, bool need_server);

// The PEM files that the flags name.
std::vector<KeptFile> PemFiles(const ServerFlags& flags);

// The server that the flags name; without --server the one of $QUANTGATE_SERVER, else 127.0.0.1:50051.
absl::StatusOr<Remote> OpenRemote(const ServerFlags& flags);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_SERVER_FLAGS_H_
