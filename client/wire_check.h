// A look at protobuf bytes before they are parsed. The parser only says "no"; this says what is wrong where, and keeps
// a small file from becoming a large structure (an empty node takes 2 bytes in a file and 170 in memory).
#ifndef QUANTGATE_CLIENT_WIRE_CHECK_H_
#define QUANTGATE_CLIENT_WIRE_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"

namespace quantgate {

struct WireLimits {
  // Messages inside messages, the outermost included. Below the parser's own limit of 100.
  int max_depth = 96;
  // Bytes that the parsed message may take in memory.
  int64_t max_memory = 0;
  // Messages of type `counted`.
  const google::protobuf::Descriptor* counted = nullptr;
  int64_t max_counted = 0;
};

// What a parsed file of `bytes` bytes may take: its payload copied once, and a structure that no real model reaches.
constexpr int64_t ParseMemoryLimit(size_t bytes) { return 2 * static_cast<int64_t>(bytes) + (int64_t{2} << 30); }

// OK: `bytes` is a well-formed message of the type, within the limits; parsing it will succeed. Otherwise FI001
// (malformed: path of the field and byte offset) or FI002 (which limit).
absl::Status CheckWire(absl::string_view bytes, const google::protobuf::Descriptor& type, const WireLimits& limits);

// How well the first fields of `bytes` agree with the type: fields that are known with the right wire type, minus those
// that are not. At most 32 fields are looked at.
int WireFit(absl::string_view bytes, const google::protobuf::Descriptor& type);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_WIRE_CHECK_H_
