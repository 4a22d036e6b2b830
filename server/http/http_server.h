// The HTTP endpoint: the API as JSON under /v1, the page at /, /metrics and /healthz for operators.
#ifndef QUANTGATE_SERVER_HTTP_HTTP_SERVER_H_
#define QUANTGATE_SERVER_HTTP_HTTP_SERVER_H_

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/address.h"
#include "server/events.h"

namespace quantgate::server {

// Explains a vendor's log; JSON. INVALID_ARGUMENT: there is nothing to explain.
using DecodeFunction = std::function<absl::StatusOr<std::string>(absl::string_view text)>;

class HttpServer {
 public:
  struct Handlers {
    std::function<std::string()> metrics;           // exposition text
    std::function<bool()> healthy;                  // /healthz: 200 or 503; false: the server drains
    std::function<void(int http_status)> answered;  // told of every answer; may be null
    std::function<void(const absl::Status&, absl::Duration)> uploaded;  // of every model sent; may be null
    // To this server's own services. Null: there is no /v1 and no page, because of `closed`.
    std::shared_ptr<grpc::Channel> api;
    std::string closed;
    Events* events = nullptr;
    DecodeFunction decode;                    // null: /v1/logs:decode is UNIMPLEMENTED
    std::vector<std::string> import_command;  // empty: /v1/models:check is UNIMPLEMENTED
    std::vector<std::string> names;           // names that this server is known by, beside its addresses
    int64_t max_upload_bytes = 0;
    int64_t max_graph_bytes = 0;  // of an uploaded model
  };
  // UNAVAILABLE when the address cannot be bound. Port 0 takes a free one.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const Address& address, Handlers handlers);
  ~HttpServer();
  int port() const;
  // Waits until no request is at work, at most until `deadline`; then stops accepting, cancels what is still at work
  // and waits for its end. Until then requests are refused as long as `healthy` is false, but for /metrics and
  // /healthz.
  void Stop(absl::Time deadline);

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_HTTP_SERVER_H_
