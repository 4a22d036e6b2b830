#include "server/client_stream.h"

#include "absl/strings/str_cat.h"
#include "server/status.h"
#include "server/stream.h"

namespace quantgate::server {

ClientStream::ClientStream(CallEnvironment environment, grpc::CallbackServerContext* context, const char* method,
                           ByteBudget& budget, int64_t max_bytes)
    : share_(budget), max_bytes_(max_bytes), call_(std::make_shared<Call>(environment, context, method)) {
  StartRead(&message_);  // gRPC reacts only once the method has returned the object
}

void ClientStream::OnReadDone(bool ok) {
  if (!ok) {
    Start();
    return;
  }
  const absl::Status status = has_options_ ? TakeChunk(message_) : TakeOptions(message_);
  has_options_ = true;
  if (status.ok()) {
    message_.Clear();
    StartRead(&message_);
  } else {
    Finish(call_->Finish(status));
  }
}

absl::Status ClientStream::Append(const std::string& chunk, std::string& bytes) {
  bytes_ += static_cast<int64_t>(chunk.size());
  if (bytes_ > max_bytes_) {
    return LimitExceeded("max_stream_bytes", max_bytes_, absl::StrCat("the chunks so far have ", bytes_, " bytes"));
  }
  if (!share_.Grow(static_cast<int64_t>(chunk.size()))) return BudgetExhausted();
  bytes += chunk;
  return absl::OkStatus();
}

void ClientStream::Start() {
  // A broken stream ends like a finished one; its missing part is never looked at.
  absl::Status status = call_->ExpiredStatus();
  if (status.ok() && !has_options_) status = absl::InvalidArgumentError("options: the stream is empty");
  if (status.ok()) status = CheckWhole();
  if (!status.ok()) {
    Finish(call_->Finish(status));
    return;
  }
  Call::Run(
      call_, [this](Call& call) { return Answer(call); }, [this](const grpc::Status& status) { Finish(status); });
}

}  // namespace quantgate::server
