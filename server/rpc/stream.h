// Messages of a client's stream, measured before they are parsed, and answers as bytes.
#ifndef QUANTGATE_SERVER_RPC_STREAM_H_
#define QUANTGATE_SERVER_RPC_STREAM_H_

#include "absl/status/status.h"
#include "google/protobuf/message_lite.h"
#include "grpcpp/support/byte_buffer.h"

namespace quantgate::server {

// The first message, and one of those after it, at most 1 MiB each. RESOURCE_EXHAUSTED: "max_options_bytes=…" or
// "max_chunk_bytes=…"; INVALID_ARGUMENT: the bytes are no such message.
absl::Status ParseStreamOptions(grpc::ByteBuffer& bytes, google::protobuf::MessageLite& parsed);
absl::Status ParseStreamChunk(grpc::ByteBuffer& bytes, google::protobuf::MessageLite& parsed);

absl::Status Serialize(const google::protobuf::MessageLite& message, grpc::ByteBuffer& out);

// UNAVAILABLE: a ByteBudget has no more.
absl::Status BudgetExhausted();

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_RPC_STREAM_H_
