#include "server/rpc/client_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/rpc/stream.h"
#include "server/status.h"

namespace quantgate::server {

namespace {

// On average, once max_stream_idle has passed: a byte now and then is no progress.
constexpr int64_t kBytesPerSecond = 16 << 10;

}  // namespace

ClientStream::ClientStream(CallEnvironment environment, grpc::CallbackServerContext* context, const char* method)
    : share_(environment.budget),
      max_bytes_(environment.limits.max_stream_bytes),
      max_idle_seconds_(environment.limits.max_stream_idle),
      start_(absl::Now()),
      last_(start_),
      call_(std::make_shared<Call>(environment, context, method)) {
  StartRead(&message_);  // gRPC reacts only once the method has returned the object
  const std::lock_guard lock(mutex_);
  SetAlarm(Deadline());
}

void ClientStream::OnReadDone(bool ok) {
  absl::Status status;
  {
    const std::lock_guard lock(mutex_);
    if (!receiving_) return;  // it had stalled
    if (ok) {
      status = has_options_ ? TakeChunk(message_) : TakeOptions(message_);
      has_options_ = true;
      last_ = absl::Now();
    }
    receiving_ = ok && status.ok();
    if (receiving_) {
      message_.Clear();
      StartRead(&message_);
      return;
    }
  }
  if (ok) {
    Finish(call_->Finish(status));
  } else {
    Start();
  }
}

void ClientStream::OnDone() {
  {
    const std::lock_guard lock(mutex_);
    receiving_ = false;
    alarm_.Cancel();
  }
  // A server that stops waits for this, and not for the alarm: what is the server's is not touched behind it.
  share_.GiveBack();
  Release();
}

void ClientStream::OnAlarm() {
  bool stalled = false;
  {
    const std::lock_guard lock(mutex_);
    const absl::Time deadline = Deadline();
    if (receiving_ && absl::Now() < deadline) {
      SetAlarm(deadline);
      return;
    }
    stalled = std::exchange(receiving_, false);
  }
  if (stalled) {
    Finish(call_->Finish(absl::DeadlineExceededError(
        absl::StrCat("max_stream_idle=", max_idle_seconds_, ": the stream's messages came too slowly"))));
  }
  Release();
}

void ClientStream::SetAlarm(absl::Time time) {
  alarm_.Set(absl::ToChronoTime(time), [this](bool) { OnAlarm(); });
}

absl::Time ClientStream::Deadline() const {
  const absl::Duration idle = absl::Seconds(max_idle_seconds_);
  return std::min(last_ + idle, start_ + idle + absl::Seconds(bytes_) / kBytesPerSecond);
}

void ClientStream::Release() {
  if (--parts_ == 0) delete this;
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
