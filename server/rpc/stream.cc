#include "server/rpc/stream.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "grpcpp/impl/codegen/proto_utils.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

constexpr int64_t kMaxChunkBytes = 1 << 20;
// What the oneof and the field's length add to a chunk.
constexpr int64_t kChunkOverhead = 64;
// The header of a stream: options with a few targets.
constexpr int64_t kMaxOptionsBytes = 1 << 20;

absl::Status ParsePart(grpc::ByteBuffer& bytes, int64_t limit, absl::string_view limit_name,
                       google::protobuf::MessageLite& parsed) {
  const int64_t size = static_cast<int64_t>(bytes.Length());
  if (size > limit + kChunkOverhead) {
    return LimitExceeded(limit_name, limit, absl::StrCat("a message of the stream has ", size, " bytes"));
  }
  grpc::ProtoBufferReader reader(&bytes);
  if (parsed.ParseFromZeroCopyStream(&reader)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the bytes are not a valid ", std::string(parsed.GetTypeName())));
}

}  // namespace

absl::Status ParseStreamOptions(grpc::ByteBuffer& bytes, google::protobuf::MessageLite& parsed) {
  return ParsePart(bytes, kMaxOptionsBytes, "max_options_bytes", parsed);
}

absl::Status ParseStreamChunk(grpc::ByteBuffer& bytes, google::protobuf::MessageLite& parsed) {
  return ParsePart(bytes, kMaxChunkBytes, "max_chunk_bytes", parsed);
}

absl::Status Serialize(const google::protobuf::MessageLite& message, grpc::ByteBuffer& out) {
  bool own_buffer;
  const grpc::Status status =
      grpc::GenericSerialize<grpc::ProtoBufferWriter, google::protobuf::MessageLite>(message, &out, &own_buffer);
  if (status.ok()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the answer cannot be serialized: ", status.error_message()));
}

absl::Status BudgetExhausted() { return Overloaded("max_buffered_bytes: the requests at work take all memory"); }

}  // namespace quantgate::server
