// Deletes old reports while the server runs.
#ifndef QUANTGATE_SERVER_RETENTION_H_
#define QUANTGATE_SERVER_RETENTION_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "absl/time/time.h"
#include "db/reports/report_store.h"
#include "server/log.h"

namespace quantgate::server {

struct RetentionPolicy {
  absl::Duration max_age = absl::InfiniteDuration();
  int64_t max_reports = 0;                // 0: any number
  absl::Duration pause = absl::Hours(1);  // between two times that it looks
};

// At the start and after every pause. Of several servers that share a store each may do it.
class Retention {
 public:
  // Both outlive it.
  Retention(db::ReportStore& store, Log& log, const RetentionPolicy& policy);
  // Ends within the deletion of a few reports.
  ~Retention();
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

 private:
  void Work();
  // One round.
  void Prune();

  db::ReportStore& store_;
  Log& log_;
  const RetentionPolicy policy_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_RETENTION_H_
