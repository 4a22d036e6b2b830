#include "server/address.h"

#include <arpa/inet.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace quantgate::server {

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

}  // namespace quantgate::server
