// The answer to one validation request: limits, idempotency, check, store.
#ifndef QUANTGATE_SERVER_SERVICES_VALIDATOR_H_
#define QUANTGATE_SERVER_SERVICES_VALIDATOR_H_

#include <functional>

#include "absl/status/status.h"
#include "db/reports/report_store.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "quantgate/v1/validation_service.pb.h"
#include "rules/check.h"
#include "server/events.h"
#include "server/metrics.h"
#include "server/options.h"

namespace quantgate::server {

// quantgate::Check; tests hand in their own.
using CheckFunction =
    std::function<absl::Status(const v1::Graph&, const CheckOptions&, ModuleRegistry&, v1::Report& report)>;

class Validator {
 public:
  struct Dependencies {
    CheckFunction check;
    ModuleRegistry& modules;
    db::ReportStore* store;  // null: reports are not kept
    Metrics& metrics;
    // Told which of the modules that a check asked for are loaded afterwards.
    std::function<void(const std::string& module, bool loaded)> module_state;
    Events* events = nullptr;  // told of every check; null: nobody is
  };
  Validator(Dependencies dependencies, const Limits& limits) : deps_(std::move(dependencies)), limits_(limits) {}

  // Thread-safe. Fills `report`, which is stored when this returns OK (and there is a store).
  absl::Status Validate(const v1::Graph& graph, const v1::ValidateOptions& options,
                        const std::function<bool()>& cancelled, v1::Report& report) const;

 private:
  absl::Status Check(const v1::Graph& graph, const v1::ValidateOptions& options, const std::function<bool()>& cancelled,
                     v1::Report& report) const;
  absl::Status CheckAndStore(const v1::Graph& graph, const v1::ValidateOptions& options, const db::RequestKey& key,
                             const std::string& digest, const std::function<bool()>& cancelled,
                             v1::Report& report) const;
  // Counts what has gone wrong with the store.
  absl::Status StoreStatus(absl::Status status) const;

  const Dependencies deps_;
  const Limits limits_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_VALIDATOR_H_
