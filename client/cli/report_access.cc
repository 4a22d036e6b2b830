#include "client/cli/report_access.h"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/engine.h"
#include "db/reports/filter.h"
#include "db/reports/report_store.h"
#include "db/reports/requests.h"
#include "rules/catalog.h"

namespace quantgate {
namespace {

// Without tables names stay as they are: they are most likely those of reports.
std::optional<std::string> NameOf(const std::string& target) {
  static const absl::StatusOr<Engine> engine = OpenEngine("");
  return engine.ok() ? NameInReports(target, *engine->modules) : std::nullopt;
}

absl::StatusOr<v1::ListReportsResponse> ListStored(db::ReportStore& store, const v1::ListReportsRequest& request) {
  db::ReportQuery query;
  query.filter = db::RenameTargets(request.filter(), NameOf);
  if (request.page_size() > 0) query.page_size = request.page_size();
  query.page_token = request.page_token();
  query.full = request.full();
  absl::StatusOr<db::ReportPage> page = store.List(query);
  if (!page.ok()) return page.status();
  v1::ListReportsResponse response;
  for (v1::Report& report : page->reports) *response.add_reports() = std::move(report);
  response.set_next_page_token(page->next_page_token);
  return response;
}

absl::Status PruneAll(db::ReportStore& store, const v1::PruneReportsRequest& request,
                      v1::PruneReportsResponse& response) {
  return db::Prune(
      store, request, [] { return absl::OkStatus(); }, response);
}

template <typename Request, typename Response>
absl::StatusOr<Response> Answer(absl::Status (*work)(db::ReportStore&, const Request&, Response&),
                                db::ReportStore& store, const Request& request) {
  Response response;
  absl::Status status = work(store, request, response);
  if (!status.ok()) return status;
  return response;
}

}  // namespace

ReportAccess AccessThrough(Remote remote) {
  const auto shared = std::make_shared<const Remote>(std::move(remote));
  return {[shared](const std::string& name) { return shared->GetReport(name); },
          [shared](const std::string& name) { return shared->GetGraph(name); },
          [shared](const v1::ListReportsRequest& request) { return shared->ListReports(request); },
          [shared](const std::string& name) { return shared->DeleteReport(name); },
          [shared](const v1::DiffReportsRequest& request) { return shared->DiffReports(request); },
          [shared](const v1::ImportReportsRequest& request) { return shared->ImportReports(request); },
          [shared](const v1::PruneReportsRequest& request) { return shared->PruneReports(request); }};
}

absl::StatusOr<ReportAccess> AccessStore(const std::string& store, Access access) {
  const std::string file = db::StoreFile(store);
  if (access != Access::kCreate && !file.empty() && ::access(file.c_str(), F_OK) != 0) {
    return absl::NotFoundError(absl::StrCat("there is no store at ", file));
  }
  // Of a store that this user may only read, what is asked for can be read all the same.
  const auto is_closed = [](const std::string& path) { return ::access(path.c_str(), W_OK) != 0; };
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const bool only_read = access != Access::kCreate && !file.empty() &&
                         store == absl::StrCat("sqlite:", file) &&  // nothing else is asked
                         (is_closed(file) || is_closed(folder.empty() ? "." : folder));
  auto opened = db::OpenReportStore(only_read ? absl::StrCat(store, "?mode=ro") : store,
                                    access == Access::kRead ? db::StoreUse::kRead : db::StoreUse::kChange);
  if (!opened.ok()) return opened.status();
  std::shared_ptr<db::ReportStore> shared = *std::move(opened);
  if (shared == nullptr) return absl::InvalidArgumentError(absl::StrCat("--store ", store, " keeps no reports"));
  return ReportAccess{
      [shared](const std::string& name) { return shared->Get(name); },
      [shared](const std::string& name) { return shared->GetGraph(name); },
      [shared](const v1::ListReportsRequest& request) { return ListStored(*shared, request); },
      [shared](const std::string& name) { return shared->Delete(name); },
      [shared](const v1::DiffReportsRequest& request) { return Answer(db::Diff, *shared, request); },
      [shared](const v1::ImportReportsRequest& request) { return Answer(db::Import, *shared, request); },
      [shared](const v1::PruneReportsRequest& request) { return Answer(PruneAll, *shared, request); }};
}

}  // namespace quantgate
