#include "server/retention.h"

#include <exception>
#include <string>

#include "absl/time/clock.h"
#include "db/reports/requests.h"

namespace quantgate::server {

Retention::Retention(db::ReportStore& store, Log& log, const RetentionPolicy& policy)
    : store_(store), log_(log), policy_(policy), thread_([this] { Work(); }) {}

Retention::~Retention() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void Retention::Work() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    try {
      Prune();
    } catch (const std::exception& e) {
      log_.Event(Log::Level::kError, "retention", {{"message", std::string(e.what())}});
    }
    lock.lock();
    stopped_.wait_for(lock, absl::ToChronoNanoseconds(policy_.pause), [this] { return stop_; });
  }
}

void Retention::Prune() {
  v1::PruneReportsRequest request;
  if (policy_.max_age != absl::InfiniteDuration()) {
    request.mutable_before()->set_seconds(absl::ToUnixSeconds(absl::Now() - policy_.max_age));
  }
  request.set_max_reports(policy_.max_reports);
  v1::PruneReportsResponse response;
  const absl::Status status = db::Prune(
      store_, request,
      [this] {
        const std::lock_guard lock(mutex_);
        return stop_ ? absl::CancelledError("the server stops") : absl::OkStatus();
      },
      response);
  if (!status.ok() && !absl::IsCancelled(status)) {
    log_.Event(Log::Level::kWarning, "retention",
               {{"deleted", response.deleted()}, {"message", std::string(status.message())}});
  } else if (response.deleted() > 0) {
    log_.Event(Log::Level::kInfo, "retention", {{"deleted", response.deleted()}});
  }
}

}  // namespace quantgate::server
