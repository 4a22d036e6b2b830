// Stored reports, wherever they are kept: behind a server or in a store of this machine.
#ifndef QUANTGATE_CLIENT_CLI_REPORT_ACCESS_H_
#define QUANTGATE_CLIENT_CLI_REPORT_ACCESS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/remote/remote.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate {

struct ReportAccess {
  std::function<absl::StatusOr<v1::Report>(const std::string& name)> get;
  std::function<absl::StatusOr<v1::Graph>(const std::string& name)> graph;
  std::function<absl::StatusOr<v1::ListReportsResponse>(const v1::ListReportsRequest&)> list;
  std::function<absl::Status(const std::string& name)> remove;
  std::function<absl::StatusOr<v1::DiffReportsResponse>(const v1::DiffReportsRequest&)> diff;
  std::function<absl::StatusOr<v1::ImportReportsResponse>(const v1::ImportReportsRequest&)> import;
  std::function<absl::StatusOr<v1::PruneReportsResponse>(const v1::PruneReportsRequest&)> prune;
};

ReportAccess AccessThrough(Remote remote);

// What is to be done with a store: read it as it is; change what is in it; make it if there is none.
enum class Access { kRead, kChange, kCreate };

// A store's address (db/reports/report_store.h). Unless it may be made, NOT_FOUND when it is a file that is not there.
absl::StatusOr<ReportAccess> AccessStore(const std::string& store, Access access);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_REPORT_ACCESS_H_
