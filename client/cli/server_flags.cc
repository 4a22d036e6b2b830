#include "client/cli/server_flags.h"

#include <cstdlib>

#include "CLI/CLI.hpp"
#include "db/number_flag.h"

namespace quantgate {

std::shared_ptr<ServerFlags> AddServerFlags(CLI::App& command, bool need_server) {
  auto flags = std::make_shared<ServerFlags>();
  flags->server = command.add_option("--server", flags->address, "Ask this server")
                      ->type_name("HOST:PORT")
                      ->check([](const std::string& text) {
                        return text.empty() ? std::string("is empty; give HOST:PORT") : std::string();
                      });
  CLI::Option* others[] = {
      command.add_option("--timeout", flags->timeout_seconds, "For one call, retries included (default 60)")
          ->type_name("SECONDS")
          ->check(NumberRange(0.001, 86400.0)),
      command.add_flag("--tls", flags->options.tls, "Use TLS with the system's certificate authorities"),
      command.add_option("--tls-ca", flags->options.tls_ca, "Use TLS with this certificate authority")
          ->type_name("PEM"),
      command.add_option("--tls-cert", flags->options.tls_cert, "Client certificate")->type_name("PEM"),
      command.add_option("--tls-key", flags->options.tls_key, "Key of the client certificate")->type_name("PEM"),
  };
  for (CLI::Option* option : others) {
    if (need_server) option->needs(flags->server);
  }
  return flags;
}

std::vector<KeptFile> PemFiles(const ServerFlags& flags) {
  return {{flags.options.tls_ca, "the certificate authority"},
          {flags.options.tls_cert, "the client certificate"},
          {flags.options.tls_key, "the client's key"}};
}

absl::StatusOr<Remote> OpenRemote(const ServerFlags& flags) {
  RemoteOptions options = flags.options;
  const char* fallback = std::getenv("QUANTGATE_SERVER");
  if (!flags.address.empty()) {
    options.address = flags.address;
  } else if (fallback != nullptr && *fallback != '\0') {
    options.address = fallback;
  }
  options.timeout = absl::Seconds(flags.timeout_seconds);
  return Remote::Create(options);
}

}  // namespace quantgate
