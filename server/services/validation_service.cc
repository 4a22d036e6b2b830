#include "server/services/validation_service.h"

#include <google/protobuf/arena.h>

#include <string>
#include <utility>

#include "server/rpc/client_stream.h"
#include "server/rpc/parse.h"
#include "server/rpc/stream.h"
#include "server/rpc/unary.h"

namespace quantgate::server {
namespace {

using google::protobuf::Arena;

}  // namespace

grpc::ServerUnaryReactor* ValidationService::Validate(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  const SizeLimit limit = {"max_request_bytes", environment_.limits.max_request_bytes,
                           "; larger graphs go through ValidateStream"};
  return RunRaw<v1::ValidateRequest>(environment_, context, "ValidationService/Validate", limit, request,
                                     [this, response](Call& call, const v1::ValidateRequest& parsed, Arena& arena) {
                                       call.set_request_id(parsed.options().request_id());
                                       auto* answer = Arena::CreateMessage<v1::ValidateResponse>(&arena);
                                       const absl::Status status = validator_.Validate(
                                           parsed.graph(), parsed.options(), [&call] { return call.Expired(); },
                                           *answer->mutable_report());
                                       return status.ok() ? Serialize(*answer, *response) : status;
                                     });
}

class ValidationService::Stream final : public ClientStream {
 public:
  Stream(ValidationService& service, grpc::CallbackServerContext* context, grpc::ByteBuffer* response)
      : ClientStream(service.environment_, context, "ValidationService/ValidateStream"),
        service_(service),
        response_(response) {}

 private:
  absl::Status TakeOptions(grpc::ByteBuffer& message) override {
    v1::ValidateStreamRequest parsed;
    absl::Status status = ParseStreamOptions(message, parsed);
    if (!status.ok()) return status;
    if (!parsed.has_options()) return absl::InvalidArgumentError("options: the first message must carry them");
    options_ = std::move(*parsed.mutable_options());
    call().set_request_id(options_.request_id());
    return absl::OkStatus();
  }

  absl::Status TakeChunk(grpc::ByteBuffer& message) override {
    v1::ValidateStreamRequest parsed;
    absl::Status status = ParseStreamChunk(message, parsed);
    if (!status.ok()) return status;
    if (parsed.part_case() != v1::ValidateStreamRequest::kGraphChunk) {
      return absl::InvalidArgumentError("graph_chunk: every message but the first must carry one");
    }
    return Append(parsed.graph_chunk(), graph_);
  }

  absl::Status Answer(Call& call) override {
    Arena arena(RequestArena());
    auto* graph = Arena::CreateMessage<v1::Graph>(&arena);
    absl::Status status = ParseBounded(std::move(graph_), arena, service_.environment_.limits.max_parsed_bytes, *graph);
    if (!status.ok()) return status;
    auto* answer = Arena::CreateMessage<v1::ValidateStreamResponse>(&arena);
    status = service_.validator_.Validate(
        *graph, options_, [&call] { return call.Expired(); }, *answer->mutable_report());
    return status.ok() ? Serialize(*answer, *response_) : status;
  }

  ValidationService& service_;
  grpc::ByteBuffer* response_;
  v1::ValidateOptions options_;
  std::string graph_;
};

grpc::ServerReadReactor<grpc::ByteBuffer>* ValidationService::ValidateStream(grpc::CallbackServerContext* context,
                                                                             grpc::ByteBuffer* response) {
  return new Stream(*this, context, response);
}

}  // namespace quantgate::server
