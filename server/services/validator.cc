#include "server/services/validator.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "db/reports/labels.h"
#include "db/sha256.h"
#include "rules/graph/digest.h"
#include "server/rpc/request_size.h"
#include "server/services/check_events.h"

namespace quantgate::server {
namespace {

constexpr size_t kMaxRequestId = 64;

absl::Status CheckArguments(const v1::ValidateOptions& options) {
  if (options.request_id().size() > kMaxRequestId) {
    return absl::InvalidArgumentError(
        absl::StrCat("options.request_id: ", options.request_id().size(), " bytes; at most ", kMaxRequestId));
  }
  if (!v1::Report::Mode_IsValid(options.mode())) {
    return absl::InvalidArgumentError(
        absl::StrCat("options.mode: ", static_cast<int>(options.mode()), " is no mode; STRICT is 1, WARN is 2"));
  }
  if (options.simulate()) {
    return absl::InvalidArgumentError("options.simulate: graphs are run by SimulationService.Simulate");
  }
  if (absl::Status status = CheckModelInfo(options.model()); !status.ok()) return status;
  return db::CheckLabels(options.labels());
}

// Everything the answer depends on. Options have no map, so equal options serialize equally.
db::RequestKey KeyOf(const std::string& graph_digest, const v1::ValidateOptions& options) {
  db::RequestKey key;
  if (options.request_id().empty()) return key;
  key.id = options.request_id();
  key.digest = Sha256Hex(absl::StrCat(graph_digest, options.SerializeAsString()));
  return key;
}

}  // namespace

absl::Status Validator::StoreStatus(absl::Status status) const {
  if (!status.ok() && !absl::IsAlreadyExists(status)) deps_.metrics.StoreError(status.code());
  return status;
}

absl::Status Validator::Check(const v1::Graph& graph, const v1::ValidateOptions& options,
                              const std::function<bool()>& cancelled, v1::Report& report) const {
  CheckOptions check = OptionsOf(options);
  check.cancelled = cancelled;
  check.limits.max_targets = static_cast<int>(limits_.max_targets);
  absl::Status status = deps_.check(graph, check, deps_.modules, report);
  // A module that was asked for and is not loaded now has failed; the next request tries again.
  for (const v1::Result& result : report.results()) {
    const std::pair<std::string, std::string> target = absl::StrSplit(result.target(), absl::MaxSplits('/', 1));
    const std::pair<std::string, std::string> backend = absl::StrSplit(target.first, absl::MaxSplits('@', 1));
    if (backend.first != "any") deps_.module_state(backend.first, deps_.modules.IsLoaded(backend.first));
  }
  return status;
}

absl::Status Validator::Validate(const v1::Graph& graph, const v1::ValidateOptions& options,
                                 const std::function<bool()>& cancelled, v1::Report& report) const {
  absl::Status status = CheckArguments(options);
  if (status.ok()) status = CheckGraphSize(graph, limits_);
  if (!status.ok()) return status;

  const std::string digest = GraphDigest(graph);
  const db::RequestKey key = KeyOf(digest, options);
  if (deps_.store != nullptr) {
    absl::StatusOr<std::optional<v1::Report>> earlier = deps_.store->FindRequest(key);
    if (!earlier.ok()) return StoreStatus(earlier.status());
    if (earlier->has_value()) {
      report = **earlier;
      return absl::OkStatus();
    }
  }

  CheckEvents events(deps_.events, "checking", options.model().path(),
                     {options.targets().begin(), options.targets().end()}, graph.nodes_size());
  status = CheckAndStore(graph, options, key, digest, events.Watching(cancelled), report);
  events.Finished(status, report);
  return status;
}

absl::Status Validator::CheckAndStore(const v1::Graph& graph, const v1::ValidateOptions& options,
                                      const db::RequestKey& key, const std::string& digest,
                                      const std::function<bool()>& cancelled, v1::Report& report) const {
  absl::Status status = Check(graph, options, cancelled, report);
  if (!status.ok()) return status;
  report.set_graph_digest(digest);
  if (options.has_model()) *report.mutable_model() = options.model();
  if (options.has_labels()) *report.mutable_labels() = options.labels();
  if (deps_.store != nullptr) {
    if (status = StoreStatus(deps_.store->Put(key, report, &graph)); !status.ok()) return status;
  } else {
    const int64_t now = absl::ToUnixNanos(absl::Now());
    report.mutable_create_time()->set_seconds(now / 1'000'000'000);
    report.mutable_create_time()->set_nanos(static_cast<int>(now % 1'000'000'000));
  }
  deps_.metrics.Findings(report);
  return absl::OkStatus();
}

}  // namespace quantgate::server
