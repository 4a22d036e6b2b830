#include "db/reports/requests.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "db/reports/compare.h"

namespace quantgate::db {
namespace {

constexpr int kMaxImported = 1000;
constexpr int kPrunedAtOnce = 100;

absl::StatusOr<v1::Report> GetNamed(ReportStore& store, const std::string& name, absl::string_view field) {
  absl::StatusOr<v1::Report> report = store.Get(name);
  if (absl::IsInvalidArgument(report.status())) {
    absl::string_view reason = report.status().message();
    absl::ConsumePrefix(&reason, "name: ");
    return absl::InvalidArgumentError(absl::StrCat(field, ": ", reason));
  }
  return report;
}

}  // namespace

absl::Status Diff(ReportStore& store, const v1::DiffReportsRequest& request, v1::DiffReportsResponse& response) {
  absl::StatusOr<v1::Report> base = GetNamed(store, request.base(), "base");
  if (!base.ok()) return base.status();
  absl::StatusOr<v1::Report> other = GetNamed(store, request.other(), "other");
  if (!other.ok()) return other.status();
  response = DiffReports(*base, *other);
  return absl::OkStatus();
}

absl::Status Import(ReportStore& store, const v1::ImportReportsRequest& request, v1::ImportReportsResponse& response) {
  if (request.reports_size() > kMaxImported) {
    return absl::InvalidArgumentError(
        absl::StrCat("reports: ", request.reports_size(), " of them; at most ", kMaxImported));
  }
  const std::vector<const v1::Report*> reports(request.reports().pointer_begin(), request.reports().pointer_end());
  const std::vector<const v1::Graph*> graphs(request.graphs().pointer_begin(), request.graphs().pointer_end());
  absl::StatusOr<int> imported = store.Import(reports, graphs);
  if (!imported.ok()) return imported.status();
  response.set_imported(*imported);
  response.set_present(request.reports_size() - *imported);
  return absl::OkStatus();
}

absl::Status Prune(ReportStore& store, const v1::PruneReportsRequest& request,
                   const std::function<absl::Status()>& may_go_on, v1::PruneReportsResponse& response) {
  if (request.max_reports() < 0) {
    return absl::InvalidArgumentError(absl::StrCat("max_reports: ", request.max_reports(), " is negative"));
  }
  if (!request.has_before() && request.max_reports() == 0) {
    return absl::InvalidArgumentError("before: says nothing, and neither does max_reports: which reports are to go?");
  }
  const absl::Time before = request.has_before() ? absl::FromUnixSeconds(request.before().seconds()) +
                                                       absl::Nanoseconds(request.before().nanos())
                                                 : absl::UnixEpoch();
  while (true) {
    absl::StatusOr<int64_t> deleted = store.Prune(before, request.max_reports(), kPrunedAtOnce);
    if (!deleted.ok()) return deleted.status();
    response.set_deleted(response.deleted() + *deleted);
    if (*deleted < kPrunedAtOnce) return absl::OkStatus();
    if (absl::Status status = may_go_on(); !status.ok()) return status;
  }
}

}  // namespace quantgate::db
