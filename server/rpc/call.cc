#include "server/rpc/call.h"

#include <exception>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

absl::Status RunGuarded(const std::function<absl::Status(Call&)>& work, Call& call) {
  try {
    return work(call);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("the server is out of memory");
  } catch (const std::exception& e) {
    return absl::InternalError(absl::StrCat("unexpected fault: ", e.what()));
  }
}

}  // namespace

Call::Call(CallEnvironment environment, grpc::CallbackServerContext* context, const char* method)
    : environment_(environment),
      context_(context),
      method_(method),
      arrival_(absl::Now()),
      start_(arrival_),
      deadline_(absl::FromChrono(context->deadline())) {
  environment_.metrics.RequestStarted();
}

bool Call::Expired() const { return context_->IsCancelled() || absl::Now() >= deadline_; }

absl::Status Call::ExpiredStatus() const {
  if (absl::Now() >= deadline_) return absl::DeadlineExceededError("the request's deadline has passed");
  if (context_->IsCancelled()) return absl::CancelledError("the client has gone or the server is shutting down");
  return absl::OkStatus();
}

void Call::Run(const std::shared_ptr<Call>& call, std::function<absl::Status(Call&)> work,
               const std::function<void(const grpc::Status&)>& finish) {
  auto task = [call, work = std::move(work), finish] {
    call->start_ = absl::Now();
    absl::Status status = call->ExpiredStatus();  // it may have waited for long
    if (status.ok()) {
      status = RunGuarded(work, *call);
      // The engine only knows that it was told to stop.
      if (absl::IsCancelled(status) && !call->ExpiredStatus().ok()) status = call->ExpiredStatus();
    }
    finish(call->Finish(status));
  };
  if (!call->environment_.pool.Post(std::move(task))) {
    finish(call->Finish(Overloaded("max_queue: too many requests are waiting")));
  }
}

grpc::Status Call::Finish(const absl::Status& status) {
  const absl::Time now = absl::Now();
  const bool own_fault = absl::IsInternal(status) || absl::IsDataLoss(status) || absl::IsUnknown(status);
  // Logged before it is counted: who sees the count finds the line.
  environment_.log.Event(own_fault ? Log::Level::kError : Log::Level::kInfo, "request",
                         {{"method", method_},
                          {"request_id", request_id_},
                          {"status", absl::StatusCodeToString(status.code())},
                          {"message", std::string(status.message())},
                          {"wait_ms", absl::ToDoubleMilliseconds(start_ - arrival_)},
                          {"run_ms", absl::ToDoubleMilliseconds(now - start_)}});
  environment_.metrics.RequestFinished(method_, status.code(), now - arrival_);
  return ToGrpcStatus(status);
}

}  // namespace quantgate::server
