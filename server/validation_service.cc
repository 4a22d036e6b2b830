#include "server/validation_service.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/proto_buffer_reader.h"
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

// Collects the chunks, then runs like a unary call. Reactions come one at a time.
class ValidationService::StreamReactor final : public grpc::ServerReadReactor<grpc::ByteBuffer> {
 public:
  StreamReactor(ValidationService& service, grpc::CallbackServerContext* context, grpc::ByteBuffer* response)
      : service_(service),
        share_(service.budget_),
        call_(std::make_shared<Call>(service.environment_, context, "ValidationService/ValidateStream")),
        response_(response) {
    StartRead(&message_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Check();
      return;
    }
    absl::Status status = has_options_ ? TakeChunk() : TakeOptions();
    if (status.ok()) {
      message_.Clear();
      StartRead(&message_);
    } else {
      Finish(call_->Finish(status));
    }
  }

  void OnDone() override { delete this; }

 private:
  absl::Status TakeOptions() {
    v1::ValidateStreamRequest parsed;
    absl::Status status = ParseStreamOptions(message_, parsed);
    if (!status.ok()) return status;
    if (!parsed.has_options()) return absl::InvalidArgumentError("options: the first message must carry them");
    options_ = std::move(*parsed.mutable_options());
    call_->set_request_id(options_.request_id());
    has_options_ = true;
    return absl::OkStatus();
  }

  absl::Status TakeChunk() {
    v1::ValidateStreamRequest parsed;
    absl::Status status = ParseStreamChunk(message_, parsed);
    if (!status.ok()) return status;
    if (parsed.part_case() != v1::ValidateStreamRequest::kGraphChunk) {
      return absl::InvalidArgumentError("graph_chunk: every message but the first must carry one");
    }
    const std::string& chunk = parsed.graph_chunk();
    const int64_t total = static_cast<int64_t>(bytes_.size() + chunk.size());
    const int64_t limit = service_.limits_.max_stream_bytes;
    if (total > limit) {
      return LimitExceeded("max_stream_bytes", limit, absl::StrCat("the chunks so far have ", total, " bytes"));
    }
    if (!share_.Grow(static_cast<int64_t>(chunk.size()))) return BudgetExhausted();
    bytes_ += chunk;
    return absl::OkStatus();
  }

  void Check() {
    // A broken stream ends like a finished one; its missing part is never checked.
    absl::Status status = call_->ExpiredStatus();
    if (status.ok() && !has_options_) status = absl::InvalidArgumentError("options: the stream is empty");
    if (!status.ok()) {
      Finish(call_->Finish(status));
      return;
    }
    Call::Run(
        call_,
        [this](Call& call) -> absl::Status {
          Arena arena(RequestArena());
          auto* graph = Arena::CreateMessage<v1::Graph>(&arena);
          google::protobuf::io::ArrayInputStream input(bytes_.data(), static_cast<int>(bytes_.size()));
          absl::Status status = ParseBounded(input, arena, service_.limits_.max_parsed_bytes, *graph);
          if (!status.ok()) return status;
          std::string().swap(bytes_);  // the graph has what it needs; an assignment keeps the memory
          auto* answer = Arena::CreateMessage<v1::ValidateStreamResponse>(&arena);
          status = service_.validator_.Validate(
              *graph, options_, [&call] { return call.Expired(); }, *answer->mutable_report());
          return status.ok() ? Serialize(*answer, *response_) : status;
        },
        [this](const grpc::Status& status) { Finish(status); });
  }

  ValidationService& service_;
  ByteBudget::Share share_;
  std::shared_ptr<Call> call_;
  grpc::ByteBuffer* response_;
  grpc::ByteBuffer message_;
  v1::ValidateOptions options_;
  bool has_options_ = false;
  std::string bytes_;
};

grpc::ServerReadReactor<grpc::ByteBuffer>* ValidationService::ValidateStream(grpc::CallbackServerContext* context,
                                                                             grpc::ByteBuffer* response) {
  return new StreamReactor(*this, context, response);
}

}  // namespace quantgate::server
