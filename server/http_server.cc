#include "server/http_server.h"

#include <httplib.h>

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quantgate::server {

struct HttpServer::Impl {
  httplib::Server server;
  std::thread thread;
  int port = 0;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const Address& address, Handlers handlers) {
  auto impl = std::make_unique<Impl>();
  httplib::Server& server = impl->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(2); };
  // The default shares the port with whoever else asks for it.
  server.set_socket_options([](socket_t sock) {
    const int yes = 1;
    setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_payload_max_length(0);  // nothing here takes a body
  server.set_read_timeout(5);
  server.set_write_timeout(5);
  server.set_keep_alive_max_count(16);
  server.Get("/metrics", [metrics = std::move(handlers.metrics)](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics(), "text/plain; version=0.0.4");
  });
  server.Get("/healthz", [healthy = std::move(handlers.healthy)](const httplib::Request&, httplib::Response& response) {
    const bool ok = healthy();
    response.status = ok ? 200 : 503;
    response.set_content(ok ? "ok\n" : "draining\n", "text/plain");
  });
  if (address.port == 0) {
    impl->port = server.bind_to_any_port(address.host.c_str());
  } else if (server.bind_to_port(address.host.c_str(), address.port)) {
    impl->port = address.port;
  }
  if (impl->port <= 0) {
    return absl::UnavailableError(absl::StrCat("http: cannot listen on ", FormatAddress(address)));
  }
  impl->thread = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();  // stop() before that would be forgotten
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  impl_->server.stop();
  impl_->thread.join();
}

int HttpServer::port() const { return impl_->port; }

}  // namespace quantgate::server
