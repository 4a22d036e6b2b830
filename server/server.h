// The server: gRPC services, health, reflection, the HTTP endpoint, and an orderly end.
#ifndef QUANTGATE_SERVER_SERVER_H_
#define QUANTGATE_SERVER_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/reports/report_store.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"
#include "server/http/http_server.h"
#include "server/log.h"
#include "server/options.h"
#include "server/services/validator.h"

namespace quantgate::server {

class Server {
 public:
  // All outlive the server.
  struct Dependencies {
    CheckFunction check;
    std::vector<const RuleInfo*> rules;  // for the catalog, by code
    ModuleRegistry& modules;
    db::ReportStore* store;  // null: reports are not kept
    Log& log;
    // Of the HTTP endpoint: explains logs, and reads model files (http/http_server.h). Empty: it does not.
    DecodeFunction decode;
    std::vector<std::string> import_command;
  };

  // Listens when this returns. INVALID_ARGUMENT: the options contradict (an address beyond loopback without TLS, a
  // certificate without its key, files that cannot be read); UNAVAILABLE: the address cannot be bound.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Options& options, Dependencies dependencies);
  // Drains for at most a second if nobody called Drain.
  ~Server();

  // Addresses with the ports that were bound. `http_address` is empty without an HTTP endpoint.
  const std::string& address() const;
  const std::string& http_address() const;

  // Stops accepting, lets calls in flight finish, over gRPC and HTTP, cancels those that have not after `timeout`, and
  // returns when none is left. Meanwhile HTTP answers 503, but for /metrics. Once.
  void Drain(absl::Duration timeout);

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVER_H_
