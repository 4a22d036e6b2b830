#include "server/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace quantgate::server {
namespace {

// 0, or the errno of what failed.
int TryToListen(const addrinfo& address) {
  const int fd = ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol);
  if (fd < 0) return errno;
  const int yes = 1;  // as servers do: connections that have ended hold no port
  (void)::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const bool listens = ::bind(fd, address.ai_addr, address.ai_addrlen) == 0 && ::listen(fd, 1) == 0;
  const int error = listens ? 0 : errno;
  ::close(fd);
  return error;
}

// Empty: it can be listened on now.
std::string WhyNoOneListens(const Address& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failure != 0) return failure == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(failure);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    if (const int error = TryToListen(*one); error != 0) return std::strerror(error);
  }
  return "";
}

}  // namespace

absl::StatusOr<Address> ParseAddress(absl::string_view text) {
  const absl::Status error = absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not an address HOST:PORT, such as 127.0.0.1:50051 or [::1]:50051"));
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return error;
  Address address;
  absl::string_view host = text.substr(0, colon);
  const bool bracketed = absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]");
  if (host.empty() || host.find_first_of("[]/ ") != absl::string_view::npos) return error;
  if (!bracketed && host.find(':') != absl::string_view::npos) return error;
  if (!absl::SimpleAtoi(text.substr(colon + 1), &address.port) || address.port < 0 || address.port > 65535) {
    return error;
  }
  address.host = std::string(host);
  return address;
}

std::string FormatAddress(const Address& address) {
  if (address.host.find(':') != std::string::npos) return absl::StrCat("[", address.host, "]:", address.port);
  return absl::StrCat(address.host, ":", address.port);
}

bool IsLoopback(const Address& address) {
  if (address.host == "localhost") return true;
  in_addr v4;
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  return inet_pton(AF_INET6, address.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

absl::Status CannotListen(const Address& address) {
  const std::string why = WhyNoOneListens(address);
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", FormatAddress(address), why.empty() ? "" : ": ", why));
}

}  // namespace quantgate::server
