#include "server/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/text_serializer.h>

#include <utility>

namespace quantgate::server {
namespace {

template <typename Builder>
auto& Family(prometheus::Registry& registry, Builder builder, const char* name, const char* help) {
  return builder.Name(name).Help(help).Register(registry);
}

}  // namespace

Metrics::Metrics(Sources sources)
    : sources_(std::move(sources)),
      requests_(Family(registry_, prometheus::BuildCounter(), "quantgate_requests_total",
                       "Finished requests by method and gRPC status.")),
      seconds_(Family(registry_, prometheus::BuildHistogram(), "quantgate_request_seconds",
                      "Time from a request's arrival to its answer.")),
      findings_(Family(registry_, prometheus::BuildCounter(), "quantgate_findings_total",
                       "Findings in reports made, by code.")),
      verdicts_(Family(registry_, prometheus::BuildCounter(), "quantgate_verdicts_total",
                       "Results in reports made, by verdict.")),
      store_errors_(Family(registry_, prometheus::BuildCounter(), "quantgate_store_errors_total",
                           "Failed report store operations by status.")),
      http_answers_(Family(registry_, prometheus::BuildCounter(), "quantgate_http_answers_total",
                           "Answers over HTTP, by HTTP status.")),
      uploads_(Family(registry_, prometheus::BuildCounter(), "quantgate_uploads_total",
                      "Model files sent over HTTP, by gRPC status; those that are checked are requests, too.")),
      module_loaded_(Family(registry_, prometheus::BuildGauge(), "quantgate_module_loaded",
                            "1 when the backend module is loaded.")),
      in_flight_(Family(registry_, prometheus::BuildGauge(), "quantgate_requests_in_flight",
                        "Requests that have arrived and are not answered.")
                     .Add({})),
      queued_(Family(registry_, prometheus::BuildGauge(), "quantgate_checks_queued", "Checks that wait for a worker.")
                  .Add({})) {}

Metrics::~Metrics() = default;

void Metrics::RequestStarted() { in_flight_.Increment(); }

void Metrics::RequestFinished(absl::string_view method, absl::StatusCode code, absl::Duration time) {
  static const prometheus::Histogram::BucketBoundaries kBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                                   0.1,    0.25,  0.5,    1,     2.5,  10,    60};
  in_flight_.Decrement();
  requests_.Add({{"method", std::string(method)}, {"code", absl::StatusCodeToString(code)}}).Increment();
  seconds_.Add({{"method", std::string(method)}}, kBuckets).Observe(absl::ToDoubleSeconds(time));
}

void Metrics::Findings(const v1::Report& report) {
  // One lookup per code, not per finding.
  std::map<std::string, int> counts;
  for (const v1::Result& result : report.results()) {
    for (const v1::Finding& finding : result.findings()) ++counts[finding.code()];
    verdicts_.Add({{"verdict", v1::Result::Verdict_Name(result.verdict())}}).Increment();
  }
  for (const auto& [code, count] : counts) findings_.Add({{"code", code}}).Increment(count);
}

void Metrics::StoreError(absl::StatusCode code) {
  store_errors_.Add({{"code", absl::StatusCodeToString(code)}}).Increment();
}

void Metrics::HttpAnswered(int http_status) { http_answers_.Add({{"code", std::to_string(http_status)}}).Increment(); }

void Metrics::Uploaded(absl::StatusCode code) { uploads_.Add({{"code", absl::StatusCodeToString(code)}}).Increment(); }

std::string Metrics::Render() {
  queued_.Set(sources_.queued_checks());
  for (const auto& [name, loaded] : sources_.modules()) module_loaded_.Add({{"module", name}}).Set(loaded ? 1 : 0);
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace quantgate::server
