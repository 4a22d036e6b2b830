#ifndef QUANTGATE_SERVER_ADDRESS_H_
#define QUANTGATE_SERVER_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate::server {

struct Address {
  std::string host;  // "127.0.0.1", "::1", "example.org"
  int port = 0;
};

// "HOST:PORT" or "[IPV6]:PORT". INVALID_ARGUMENT otherwise.
absl::StatusOr<Address> ParseAddress(absl::string_view text);

// "127.0.0.1:50051", "[::1]:50051".
std::string FormatAddress(const Address& address);

// True for 127.0.0.0/8, ::1 and "localhost". Any other name may resolve to anything and is not loopback.
bool IsLoopback(const Address& address);

// UNAVAILABLE, for when that failed: with the reason, which neither gRPC nor the HTTP library tells.
absl::Status CannotListen(const Address& address);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_ADDRESS_H_
