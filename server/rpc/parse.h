// Parsing of untrusted messages in bounded memory.
#ifndef QUANTGATE_SERVER_RPC_PARSE_H_
#define QUANTGATE_SERVER_RPC_PARSE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "google/protobuf/arena.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/message_lite.h"

namespace quantgate::server {

// Settings of the arena that a request and its answer live on: few and large blocks.
google::protobuf::ArenaOptions RequestArena();

// Parses `input` into `message`, which lives on `arena`. Two bytes on the wire can make a message of 200 bytes, so the
// size of a request says little about its memory: parsing stops when the arena has grown beyond `max_bytes` (and at
// most a few megabytes more). RESOURCE_EXHAUSTED: "max_parsed_bytes=…"; INVALID_ARGUMENT: not such a message, or nested
// too deeply.
absl::Status ParseBounded(google::protobuf::io::ZeroCopyInputStream& input, const google::protobuf::Arena& arena,
                          int64_t max_bytes, google::protobuf::MessageLite& message);
// Of bytes, which are gone afterwards.
absl::Status ParseBounded(std::string bytes, const google::protobuf::Arena& arena, int64_t max_bytes,
                          google::protobuf::MessageLite& message);

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_RPC_PARSE_H_
