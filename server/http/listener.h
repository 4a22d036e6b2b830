// cpp-httplib's server on a fixed number of threads and on connections with bounds (connection.h).
#ifndef QUANTGATE_SERVER_HTTP_LISTENER_H_
#define QUANTGATE_SERVER_HTTP_LISTENER_H_

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "server/http/connection.h"
#include "server/worker_pool.h"

namespace quantgate::server {

class HttpListener final : public httplib::Server {
 public:
  // What a request is let have, asked once its head has come.
  struct Terms {
    int64_t max_body = 0;   // bytes, framing included
    bool is_probe = false;  // answered at once, whatever else is at work: takes none of the places
  };
  // `terms(request)` may change its headers. Of `threads`, `places` are for requests that are no probes.
  HttpListener(int threads, int places, ConnectionBounds bounds, std::function<Terms(httplib::Request&)> terms);

  // Listens there; port 0 takes a free one. The port; -1: it cannot.
  int Bind(const std::string& host, int port);

  // The connection that the calling handler answers on.
  static Connection& Current();
  // Whether the calling handler's request may be more than refused: it is a probe, or got a place, which it has until
  // its answer is written.
  static bool HasPlace();

  // Until no request has a place, or until `deadline`. False: some still have.
  bool WaitUntilIdle(std::chrono::steady_clock::time_point deadline) const;
  // Ends listening, and what is read from clients or written to them: nothing of it waits any longer.
  void End();

 private:
  bool process_and_close_socket(socket_t socket) override;

  const ConnectionBounds bounds_;
  const std::function<Terms(httplib::Request&)> terms_;
  const int places_;
  std::atomic<int> taken_{0};  // of the places
  std::atomic<bool> ended_{false};
  WorkerPool* pool_ = nullptr;  // of the task queue, while the server runs
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_LISTENER_H_
