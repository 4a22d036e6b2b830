#include "server/validation_service.h"

#include <google/protobuf/arena.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "server/client_stream.h"
#include "server/parse.h"
#include "server/status.h"
#include "server/stream.h"

namespace quantgate::server {
namespace {

using google::protobuf::Arena;

}  // namespace

grpc::ServerUnaryReactor* ValidationService::Validate(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  static constexpr char kMethod[] = "ValidationService/Validate";
  const int64_t bytes = static_cast<int64_t>(request->Length());
  auto share = std::make_shared<ByteBudget::Share>(budget_);
  absl::Status refusal;
  if (bytes > limits_.max_request_bytes) {
    refusal = LimitExceeded("max_request_bytes", limits_.max_request_bytes,
                            absl::StrCat("the request has ", bytes, " bytes; larger graphs go through ValidateStream"));
  } else if (!share->Grow(bytes)) {
    refusal = BudgetExhausted();
  }
  if (!refusal.ok()) {
    Call call(environment_, context, kMethod);
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(call.Finish(refusal));
    return reactor;
  }
  return RunUnary(environment_, context, kMethod, [this, share, request, response](Call& call) -> absl::Status {
    Arena arena(RequestArena());
    auto* parsed = Arena::CreateMessage<v1::ValidateRequest>(&arena);
    grpc::ByteBuffer bytes(*request);  // shares the slices; the reader wants it mutable
    grpc::ProtoBufferReader reader(&bytes);
    absl::Status status = ParseBounded(reader, arena, limits_.max_parsed_bytes, *parsed);
    if (!status.ok()) return status;
    call.set_request_id(parsed->options().request_id());
    auto* answer = Arena::CreateMessage<v1::ValidateResponse>(&arena);
    status = validator_.Validate(
        parsed->graph(), parsed->options(), [&call] { return call.Expired(); }, *answer->mutable_report());
    return status.ok() ? Serialize(*answer, *response) : status;
  });
}

class ValidationService::Stream final : public ClientStream {
 public:
  Stream(ValidationService& service, grpc::CallbackServerContext* context, grpc::ByteBuffer* response)
      : ClientStream(service.environment_, context, "ValidationService/ValidateStream", service.budget_,
                     service.limits_),
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
    absl::Status status = ParseBounded(std::move(graph_), arena, service_.limits_.max_parsed_bytes, *graph);
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
