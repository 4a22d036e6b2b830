// One HTTP connection, with bounds that cpp-httplib does not have: time and bytes of a request's head, time and bytes
// of its body. A client that sends slowly, or never stops, loses its connection; the thread is free again.
#ifndef QUANTGATE_SERVER_HTTP_CONNECTION_H_
#define QUANTGATE_SERVER_HTTP_CONNECTION_H_

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace quantgate::server {

struct ConnectionBounds {
  int64_t head_bytes = 64 << 10;  // request line and headers
  std::chrono::milliseconds head_time{10'000};
  std::chrono::milliseconds crowded_head_time{200};  // while others wait for a thread
  std::chrono::milliseconds idle_time{15'000};       // between two pieces of a body, or of an answer
  int64_t body_bytes_per_second = 16 << 10;          // on average, once idle_time has passed
  std::chrono::milliseconds keep_alive_time{5'000};
  std::chrono::milliseconds linger_time{500};         // reading on behind a refusal
  std::chrono::milliseconds crowded_linger_time{20};  // while others wait for a thread
};

class Connection final : public httplib::Stream {
 public:
  // `bounds` and `ended` outlive the connection. The socket stays the caller's. Once `ended`, nothing waits for the
  // client. `crowded` says that others wait for this thread.
  Connection(socket_t socket, const ConnectionBounds& bounds, const std::atomic<bool>& ended,
             std::function<bool()> crowded);

  // Waits for the first byte of a request. False: none came in keep_alive_time, the client has gone, or `stop` says so;
  // that is asked several times a second.
  bool WaitForRequest(const std::function<bool()>& stop);
  void BeginHead();
  // At most `max_bytes` of body are read: reading more fails.
  void BeginBody(int64_t max_bytes);

  // What comes after a refused request is not the next request.
  void CloseAfterAnswer() { close_ = true; }
  bool close() const { return close_; }
  // The client has gone.
  bool PeerGone() const;
  // Reads on for a moment, so that a client that is still sending sees the answer and not a reset connection.
  void Linger();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* out, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  // False when nothing comes until `deadline`, or once all has ended.
  bool Wait(short events, Clock::time_point deadline) const;
  // False when no more of head or body comes in its time.
  bool WaitToRead() const;
  Clock::time_point ReadDeadline() const;

  const socket_t socket_;
  const ConnectionBounds& bounds_;
  const std::atomic<bool>& ended_;
  const std::function<bool()> crowded_;
  bool in_head_ = true;
  bool close_ = false;
  Clock::time_point start_;  // of head or body
  int64_t bytes_ = 0;        // of it
  int64_t max_bytes_ = 0;    // of it
  std::array<char, 16384> buffer_;
  size_t begin_ = 0, end_ = 0;  // what of it is not used yet
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_HTTP_CONNECTION_H_
