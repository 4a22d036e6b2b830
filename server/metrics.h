// What the server counts, in Prometheus' terms.
#ifndef QUANTGATE_SERVER_METRICS_H_
#define QUANTGATE_SERVER_METRICS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "prometheus/registry.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::server {

// Thread-safe.
class Metrics {
 public:
  // Read when metrics are asked for.
  struct Sources {
    std::function<int()> queued_checks;
    // Registered modules and whether each is loaded.
    std::function<std::vector<std::pair<std::string, bool>>()> modules;
  };
  explicit Metrics(Sources sources);
  ~Metrics();

  void RequestStarted();
  // `method` is one of this server's, so labels stay few.
  void RequestFinished(absl::string_view method, absl::StatusCode code, absl::Duration time);
  void Findings(const v1::Report& report);
  void StoreError(absl::StatusCode code);
  void HttpAnswered(int http_status);
  void Uploaded(absl::StatusCode code);

  // The exposition text.
  std::string Render();

 private:
  Sources sources_;
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Histogram>& seconds_;
  prometheus::Family<prometheus::Counter>& findings_;
  prometheus::Family<prometheus::Counter>& verdicts_;
  prometheus::Family<prometheus::Counter>& store_errors_;
  prometheus::Family<prometheus::Counter>& http_answers_;
  prometheus::Family<prometheus::Counter>& uploads_;
  prometheus::Family<prometheus::Gauge>& module_loaded_;
  prometheus::Gauge& in_flight_;
  prometheus::Gauge& queued_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_METRICS_H_
