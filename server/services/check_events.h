// Tells Events of one check: that it started, now and then that it still runs, how it ended.
#ifndef QUANTGATE_SERVER_SERVICES_CHECK_EVENTS_H_
#define QUANTGATE_SERVER_SERVICES_CHECK_EVENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "quantgate/v1/report.pb.h"
#include "server/events.h"

namespace quantgate::server {

// {"id": 7, "phase": "checking", "model": "m.onnx", "targets": […], "nodes": 70, "elapsedMs": 12.5}; "finished" adds
// "report" and "verdicts", or "error". Times are those of this machine's clock.
class CheckEvents {
 public:
  // `phase` is a literal, "importing" or "checking". `events` may be null. What nobody has to know is left empty.
  CheckEvents(Events* events, const char* phase, const std::string& model, std::vector<std::string> targets,
              int64_t nodes);
  // A check that ended by an exception ends for those who watch as well.
  ~CheckEvents();
  CheckEvents(const CheckEvents&) = delete;

  // `cancelled`, which also says that the check goes on, when it is asked.
  std::function<bool()> Watching(const std::function<bool()>& cancelled);
  // Twice a second at most.
  void Progress();
  void Finished(const absl::Status& status, const v1::Report& report);

 private:
  void Publish(const char* name, const absl::Status& status, const v1::Report* report);

  Events* const events_;
  const char* const phase_;
  const std::string model_;
  const std::vector<std::string> targets_;
  const int64_t nodes_;
  const int64_t id_;
  const absl::Time start_;
  absl::Time last_;
  bool finished_ = false;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_CHECK_EVENTS_H_
