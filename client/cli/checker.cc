#include "client/cli/checker.h"

#include <random>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "google/protobuf/util/time_util.h"
#include "rules/check.h"
#include "rules/graph/digest.h"

namespace quantgate {
namespace {

std::string RandomId() {
  std::random_device random;
  return absl::StrFormat("%08x%08x%08x%08x", random(), random(), random(), random());
}

absl::StatusOr<v1::Report> CheckHere(const Engine& engine, const v1::Graph& graph, const v1::ValidateOptions& request,
                                     const PredictNoiseOn& predict) {
  CheckOptions options = OptionsOf(request);
  options.predict = predict;
  v1::Report report;
  if (absl::Status status = Check(graph, options, *engine.modules, report); !status.ok()) return status;
  report.set_graph_digest(GraphDigest(graph));
  *report.mutable_model() = request.model();
  if (request.has_labels()) *report.mutable_labels() = request.labels();
  *report.mutable_create_time() =
      google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(absl::Now()));
  return report;
}

}  // namespace

absl::StatusOr<Checker> LocalChecker(const std::string& tables_path) {
  absl::StatusOr<Engine> engine = OpenEngine(tables_path);
  if (!engine.ok()) return engine.status();
  auto shared = std::make_shared<const Engine>(*std::move(engine));
  return [shared](const v1::Graph& graph, const v1::ValidateOptions& options, const PredictNoiseOn& predict) {
    return CheckHere(*shared, graph, options, predict);
  };
}

Checker RemoteChecker(Remote remote) {
  return
      [remote = std::move(remote)](const v1::Graph& graph, const v1::ValidateOptions& options, const PredictNoiseOn&) {
        v1::ValidateOptions request = options;
        request.set_request_id(RandomId());
        return remote.Validate(graph, request);
      };
}

}  // namespace quantgate
