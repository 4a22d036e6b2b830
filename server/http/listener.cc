#include "server/http/listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "server/http/slot.h"

namespace quantgate::server {
namespace {

constexpr int kWaitingConnections = 64;

thread_local Connection* current = nullptr;
thread_local bool has_place = false;

// When all threads are busy and enough connections wait, accepting stops; further ones wait in the kernel.
class Tasks final : public httplib::TaskQueue {
 public:
  explicit Tasks(int threads) : pool_(std::make_unique<WorkerPool>(threads, kWaitingConnections)) {}
  void enqueue(std::function<void()> task) override {
    while (!pool_->Post(task)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  void shutdown() override { pool_.reset(); }
  WorkerPool* pool() const { return pool_.get(); }

 private:
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace

HttpListener::HttpListener(int threads, int places, ConnectionBounds bounds,
                           std::function<Terms(httplib::Request&)> terms)
    : bounds_(bounds), terms_(std::move(terms)), places_(places) {
  new_task_queue = [this, threads] {
    auto* tasks = new Tasks(threads);
    pool_ = tasks->pool();
    return tasks;
  };
}

int HttpListener::Bind(const std::string& host, int port) {
  const int bound = port == 0 ? bind_to_any_port(host.c_str()) : bind_to_port(host.c_str(), port) ? port : -1;
  // The library's backlog is 5: of more clients that connect at once, some would be reset.
  return bound > 0 && ::listen(svr_sock_, SOMAXCONN) == 0 ? bound : -1;
}

Connection& HttpListener::Current() { return *current; }

bool HttpListener::HasPlace() { return has_place; }

bool HttpListener::WaitUntilIdle(std::chrono::steady_clock::time_point deadline) const {
  while (taken_ > 0) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

void HttpListener::End() {
  ended_ = true;
  stop();
}

bool HttpListener::process_and_close_socket(socket_t socket) {
  Connection connection(socket, bounds_, ended_, [this] { return pool_->queued() > 0; });
  current = &connection;
  bool more = true;
  // A connection that only may be used again does not keep others from being served.
  for (bool first = true; more; first = false) {
    const auto patience = std::chrono::steady_clock::now() + bounds_.crowded_head_time;
    const auto stop = [&] {
      const bool is_patient = first && std::chrono::steady_clock::now() < patience;
      return svr_sock_ == INVALID_SOCKET || (!is_patient && pool_->queued() > 0);
    };
    if (!connection.WaitForRequest(stop)) break;
    connection.BeginHead();
    bool closed = false;
    std::optional<Slot> place;  // until the answer is written: a client that reads slowly keeps the thread as well
    has_place = false;
    try {
      more = process_request(connection, /*close_connection=*/false, closed, [&](httplib::Request& request) {
        const Terms terms = terms_(request);
        connection.BeginBody(terms.max_body);
        if (!terms.is_probe && !place.has_value()) {
          if (std::optional<Slot> taken = Slot::Take(taken_, places_)) place.emplace(*std::move(taken));
        }
        has_place = terms.is_probe || place.has_value();
      });
    } catch (const std::exception&) {
      more = false;  // out of memory, while the answer was written
    }
    more = more && !closed && !connection.close();
  }
  if (connection.close()) connection.Linger();
  current = nullptr;
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  return true;
}

}  // namespace quantgate::server
