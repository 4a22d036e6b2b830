#include "server/report_service.h"

#include <type_traits>
#include <utility>

#include "db/reports/filter.h"
#include "db/reports/requests.h"
#include "rules/catalog.h"
#include "server/paging.h"

namespace quantgate::server {

std::string ReportService::Filter(const std::string& asked) const {
  return db::RenameTargets(asked, [this](const std::string& target) { return NameInReports(target, modules_); });
}

template <typename Work>
grpc::ServerUnaryReactor* ReportService::Run(grpc::CallbackServerContext* context, const char* method, Work work) {
  return RunUnary(environment_, context, method, [this, work](Call& call) -> absl::Status {
    if (store_ == nullptr) return absl::FailedPreconditionError("this server keeps no reports (--store none)");
    absl::Status status;
    if constexpr (std::is_invocable_v<Work, db::ReportStore&, Call&>) {
      status = work(*store_, call);
    } else {
      status = work(*store_);
    }
    if (!status.ok() && !absl::IsInvalidArgument(status) && !absl::IsNotFound(status)) {
      environment_.metrics.StoreError(status.code());
    }
    return status;
  });
}

grpc::ServerUnaryReactor* ReportService::GetReport(grpc::CallbackServerContext* context,
                                                   const v1::GetReportRequest* request,
                                                   v1::GetReportResponse* response) {
  return Run(context, "ReportService/GetReport", [request, response](db::ReportStore& store) {
    absl::StatusOr<v1::Report> report = store.Get(request->name());
    if (!report.ok()) return report.status();
    *response->mutable_report() = *std::move(report);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ReportService::ListReports(grpc::CallbackServerContext* context,
                                                     const v1::ListReportsRequest* request,
                                                     v1::ListReportsResponse* response) {
  return Run(context, "ReportService/ListReports", [this, request, response](db::ReportStore& store) -> absl::Status {
    db::ReportQuery query;
    absl::StatusOr<int> page_size = PageSize(request->page_size(), query.page_size);
    if (!page_size.ok()) return page_size.status();
    query.page_size = *page_size;
    query.filter = Filter(request->filter());
    query.page_token = request->page_token();
    query.full = request->full();
    absl::StatusOr<db::ReportPage> page = store.List(query);
    if (!page.ok()) return page.status();
    for (v1::Report& report : page->reports) *response->add_reports() = std::move(report);
    response->set_next_page_token(page->next_page_token);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ReportService::DeleteReport(grpc::CallbackServerContext* context,
                                                      const v1::DeleteReportRequest* request,
                                                      v1::DeleteReportResponse*) {
  return Run(context, "ReportService/DeleteReport",
             [request](db::ReportStore& store) { return store.Delete(request->name()); });
}

grpc::ServerUnaryReactor* ReportService::DiffReports(grpc::CallbackServerContext* context,
                                                     const v1::DiffReportsRequest* request,
                                                     v1::DiffReportsResponse* response) {
  return Run(context, "ReportService/DiffReports",
             [request, response](db::ReportStore& store) { return db::Diff(store, *request, *response); });
}

grpc::ServerUnaryReactor* ReportService::ImportReports(grpc::CallbackServerContext* context,
                                                       const v1::ImportReportsRequest* request,
                                                       v1::ImportReportsResponse* response) {
  return Run(context, "ReportService/ImportReports",
             [request, response](db::ReportStore& store) { return db::Import(store, *request, *response); });
}

grpc::ServerUnaryReactor* ReportService::PruneReports(grpc::CallbackServerContext* context,
                                                      const v1::PruneReportsRequest* request,
                                                      v1::PruneReportsResponse* response) {
  return Run(context, "ReportService/PruneReports", [request, response](db::ReportStore& store, Call& call) {
    return db::Prune(
        store, *request, [&call] { return call.ExpiredStatus(); }, *response);
  });
}

grpc::ServerUnaryReactor* ReportService::GetGraph(grpc::CallbackServerContext* context,
                                                  const v1::GetGraphRequest* request, v1::GetGraphResponse* response) {
  return Run(context, "ReportService/GetGraph", [request, response](db::ReportStore& store) {
    absl::StatusOr<v1::Graph> graph = store.GetGraph(request->name());
    if (!graph.ok()) return graph.status();
    *response->mutable_graph() = *std::move(graph);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* ReportService::GetFleet(grpc::CallbackServerContext* context,
                                                  const v1::GetFleetRequest* request, v1::GetFleetResponse* response) {
  return Run(context, "ReportService/GetFleet", [this, request, response](db::ReportStore& store) -> absl::Status {
    absl::StatusOr<int> page_size = PageSize(request->page_size(), 100);
    if (!page_size.ok()) return page_size.status();
    v1::GetFleetRequest renamed = *request;
    renamed.set_filter(Filter(request->filter()));
    return store.GetFleet(renamed, *page_size, *response);
  });
}

grpc::ServerUnaryReactor* ReportService::GetTrends(grpc::CallbackServerContext* context,
                                                   const v1::GetTrendsRequest* request,
                                                   v1::GetTrendsResponse* response) {
  return Run(context, "ReportService/GetTrends", [this, request, response](db::ReportStore& store) {
    v1::GetTrendsRequest renamed = *request;
    renamed.set_filter(Filter(request->filter()));
    return store.GetTrends(renamed, *response);
  });
}

}  // namespace quantgate::server
