// cpp-httplib's server on a fixed number of threads and on connections with bounds (connection.h).
#ifndef QUANTGATE_SERVER_HTTP_LISTENER_H_
#define QUANTGATE_SERVER_HTTP_LISTENER_H_

#include <httplib.h>

#include <memory>
#include <string>

#include "server/http/connection.h"
#include "server/worker_pool.h"

namespace quantgate::server {

class HttpListener final : public httplib::Server {
 public:
  // `max_body(request)` is how many bytes of body a request may have, framing included, and may change its headers.
  HttpListener(int threads, ConnectionBounds bounds, std::function<int64_t(httplib::Request&)> max_body);

  // Listens there; port 0 takes a free one. The port; -1: it cannot.
  int Bind(const std::string& host, int port);

  // The connection that the calling handler answers on.
  static Connection& Current();

 private:
  bool process_and_close_socket(socket_t socket) override;

  const ConnectionBounds bounds_;
  const std::function<int64_t(httplib::Request&)> max_body_;
  WorkerPool* pool_ = nullptr;  // of the task queue, while the server runs
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_LISTENER_H_
