// The small HTTP endpoint for operators: GET /metrics and GET /healthz.
#ifndef QUANTGATE_SERVER_HTTP_SERVER_H_
#define QUANTGATE_SERVER_HTTP_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/address.h"

namespace quantgate::server {

class HttpServer {
 public:
  struct Handlers {
    std::function<std::string()> metrics;  // exposition text
    std::function<bool()> healthy;         // /healthz: 200 or 503
  };
  // UNAVAILABLE when the address cannot be bound. Port 0 takes a free one.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const Address& address, Handlers handlers);
  ~HttpServer();
  int port() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_SERVER_H_
