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
  std::function<absl::StatusOr<v1::ListReportsResponse>(const v1::ListReportsRequest&)> list;
  std::function<absl::Status(const std::string& name)> remove;
};

ReportAccess AccessThrough(Remote remote);

// "sqlite:PATH". NOT_FOUND when there is no such file: reading reports creates no store.
absl::StatusOr<ReportAccess> AccessStore(const std::string& store);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_REPORT_ACCESS_H_
