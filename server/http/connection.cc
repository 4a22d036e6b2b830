#include "server/http/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace quantgate::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPiece{100};

void Describe(const sockaddr_storage& address, std::string& ip, int& port) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    port = ntohs(v6.sin6_port);
  }
  ip = text;
}

}  // namespace

Connection::Connection(socket_t socket, const ConnectionBounds& bounds, const std::atomic<bool>& ended,
                       std::function<bool()> crowded)
    : socket_(socket), bounds_(bounds), ended_(ended), crowded_(std::move(crowded)) {
  BeginHead();
}

bool Connection::Wait(short events, Clock::time_point deadline) const {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait = {socket_, events, 0};
    // In pieces, because nobody wakes it at the end. What is there then is still read, and an answer still written.
    const int ready = poll(&wait, 1, ended_ ? 0 : static_cast<int>(std::min<int64_t>(left, kPiece.count())));
    if (ready > 0) return true;
    if (ready == 0 && ended_) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool Connection::WaitToRead() const {
  if (!in_head_) return Wait(POLLIN, ReadDeadline());
  // Heads come whole; who sends a part and no more must not keep the threads from everybody else.
  while (Clock::now() < ReadDeadline()) {
    if (Wait(POLLIN, std::min(ReadDeadline(), Clock::now() + milliseconds(50)))) return true;
    if (Clock::now() > start_ + bounds_.crowded_head_time && crowded_()) return false;
  }
  return false;
}

bool Connection::WaitForRequest(const std::function<bool()>& stop) {
  if (begin_ < end_) return true;
  const Clock::time_point end = Clock::now() + bounds_.keep_alive_time;
  while (!stop() && Clock::now() < end) {
    if (Wait(POLLIN, Clock::now() + milliseconds(100))) return !PeerGone();
  }
  return false;
}

void Connection::BeginHead() {
  in_head_ = true;
  start_ = Clock::now();
  bytes_ = 0;
  max_bytes_ = bounds_.head_bytes;
}

void Connection::BeginBody(int64_t max_bytes) {
  in_head_ = false;
  start_ = Clock::now();
  bytes_ = 0;
  max_bytes_ = max_bytes;
}

Connection::Clock::time_point Connection::ReadDeadline() const {
  if (in_head_) return start_ + bounds_.head_time;
  const auto earned = milliseconds(bytes_ * 1000 / bounds_.body_bytes_per_second);
  return std::min(start_ + bounds_.idle_time + earned, Clock::now() + bounds_.idle_time);
}

bool Connection::PeerGone() const {
  char byte;
  const ssize_t n = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

bool Connection::is_readable() const { return begin_ < end_ || Wait(POLLIN, Clock::now() + milliseconds(1)); }

bool Connection::is_writable() const { return Wait(POLLOUT, Clock::now() + bounds_.idle_time) && !PeerGone(); }

ssize_t Connection::read(char* out, size_t size) {
  if (bytes_ >= max_bytes_) return -1;
  if (begin_ == end_) {
    ssize_t n;
    do {
      if (!WaitToRead()) return -1;
      n = recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    if (n <= 0) return n;
    begin_ = 0;
    end_ = static_cast<size_t>(n);
  }
  const size_t n = std::min({size, end_ - begin_, static_cast<size_t>(max_bytes_ - bytes_)});
  std::memcpy(out, buffer_.data() + begin_, n);
  begin_ += n;
  bytes_ += static_cast<int64_t>(n);
  return static_cast<ssize_t>(n);
}

ssize_t Connection::write(const char* bytes, size_t size) {
  while (Wait(POLLOUT, Clock::now() + bounds_.idle_time)) {
    const ssize_t n = send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return n;
    if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) break;
  }
  return -1;
}

void Connection::Linger() {
  shutdown(socket_, SHUT_WR);
  const Clock::time_point begin = Clock::now();
  while (!ended_ && Clock::now() < begin + bounds_.linger_time) {
    if (Clock::now() > begin + bounds_.crowded_linger_time && crowded_()) return;
    if (!Wait(POLLIN, Clock::now() + bounds_.crowded_linger_time)) continue;
    if (recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT) <= 0) return;
  }
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0) Describe(address, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0) Describe(address, ip, port);
}

}  // namespace quantgate::server
