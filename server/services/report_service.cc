#include "server/services/report_service.h"

#include <type_traits>
#include <utility>

#include "db/reports/filter.h"
#include "db/reports/requests.h"
#include "rules/catalog.h"
#include "server/services/paging.h"

namespace quantgate::server {

std::string ReportService::Filter(const std::string& asked) const {
  return db::RenameTargets(asked, [this](const std::string& target) { return NameInReports(target, modules_); });
}

template <typename Request, typename Response, typename Work>
grpc::ServerUnaryReactor* ReportService::Run(grpc::CallbackServerContext* context, const char* method,
                                             const grpc::ByteBuffer* request, grpc::ByteBuffer* response, Work work,
                                             const SizeLimit& limit) {
  const auto ask = [this, work](Call& call, const Request& parsed, Response& answer) -> absl::Status {
    if (store_ == nullptr) return absl::FailedPreconditionError("this server keeps no reports (--store none)");
    absl::Status status;
    if constexpr (std::is_invocable_v<Work, db::ReportStore&, const Request&, Response&, Call&>) {
      status = work(*store_, parsed, answer, call);
    } else {
      status = work(*store_, parsed, answer);
    }
    if (!status.ok() && !absl::IsInvalidArgument(status) && !absl::IsNotFound(status)) {
      environment_.metrics.StoreError(status.code());
    }
    return status;
  };
  return RunUnary<Request, Response>(environment_, context, method, limit, request, response, ask);
}

grpc::ServerUnaryReactor* ReportService::GetReport(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return Run<v1::GetReportRequest, v1::GetReportResponse>(
      context, "ReportService/GetReport", request, response,
      [](db::ReportStore& store, const v1::GetReportRequest& asked, v1::GetReportResponse& answer) {
        absl::StatusOr<v1::Report> report = store.Get(asked.name());
        if (!report.ok()) return report.status();
        *answer.mutable_report() = *std::move(report);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* ReportService::ListReports(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return Run<v1::ListReportsRequest, v1::ListReportsResponse>(
      context, "ReportService/ListReports", request, response,
      [this](db::ReportStore& store, const v1::ListReportsRequest& asked,
             v1::ListReportsResponse& answer) -> absl::Status {
        db::ReportQuery query;
        absl::StatusOr<int> page_size = PageSize(asked.page_size(), query.page_size);
        if (!page_size.ok()) return page_size.status();
        query.page_size = *page_size;
        query.filter = Filter(asked.filter());
        query.page_token = asked.page_token();
        query.full = asked.full();
        absl::StatusOr<db::ReportPage> page = store.List(query);
        if (!page.ok()) return page.status();
        for (v1::Report& report : page->reports) *answer.add_reports() = std::move(report);
        answer.set_next_page_token(page->next_page_token);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* ReportService::DeleteReport(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return Run<v1::DeleteReportRequest, v1::DeleteReportResponse>(
      context, "ReportService/DeleteReport", request, response,
      [](db::ReportStore& store, const v1::DeleteReportRequest& asked, v1::DeleteReportResponse&) {
        return store.Delete(asked.name());
      });
}

grpc::ServerUnaryReactor* ReportService::DiffReports(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return Run<v1::DiffReportsRequest, v1::DiffReportsResponse>(
      context, "ReportService/DiffReports", request, response,
      [](db::ReportStore& store, const v1::DiffReportsRequest& asked, v1::DiffReportsResponse& answer) {
        return db::Diff(store, asked, answer);
      });
}

grpc::ServerUnaryReactor* ReportService::ImportReports(grpc::CallbackServerContext* context,
                                                       const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  const SizeLimit limit = {"max_request_bytes", environment_.limits.max_request_bytes,
                           "; import fewer reports at a time"};
  return Run<v1::ImportReportsRequest, v1::ImportReportsResponse>(
      context, "ReportService/ImportReports", request, response,
      [](db::ReportStore& store, const v1::ImportReportsRequest& asked, v1::ImportReportsResponse& answer) {
        return db::Import(store, asked, answer);
      },
      limit);
}

grpc::ServerUnaryReactor* ReportService::PruneReports(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return Run<v1::PruneReportsRequest, v1::PruneReportsResponse>(
      context, "ReportService/PruneReports", request, response,
      [](db::ReportStore& store, const v1::PruneReportsRequest& asked, v1::PruneReportsResponse& answer, Call& call) {
        return db::Prune(
            store, asked, [&call] { return call.ExpiredStatus(); }, answer);
      });
}

grpc::ServerUnaryReactor* ReportService::GetGraph(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) {
  return Run<v1::GetGraphRequest, v1::GetGraphResponse>(
      context, "ReportService/GetGraph", request, response,
      [](db::ReportStore& store, const v1::GetGraphRequest& asked, v1::GetGraphResponse& answer) {
        absl::StatusOr<v1::Graph> graph = store.GetGraph(asked.name());
        if (!graph.ok()) return graph.status();
        *answer.mutable_graph() = *std::move(graph);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* ReportService::GetFleet(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) {
  return Run<v1::GetFleetRequest, v1::GetFleetResponse>(
      context, "ReportService/GetFleet", request, response,
      [this](db::ReportStore& store, const v1::GetFleetRequest& asked, v1::GetFleetResponse& answer) -> absl::Status {
        absl::StatusOr<int> page_size = PageSize(asked.page_size(), 100);
        if (!page_size.ok()) return page_size.status();
        v1::GetFleetRequest renamed = asked;
        renamed.set_filter(Filter(asked.filter()));
        return store.GetFleet(renamed, *page_size, answer);
      });
}

grpc::ServerUnaryReactor* ReportService::GetTrends(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return Run<v1::GetTrendsRequest, v1::GetTrendsResponse>(
      context, "ReportService/GetTrends", request, response,
      [this](db::ReportStore& store, const v1::GetTrendsRequest& asked, v1::GetTrendsResponse& answer) {
        v1::GetTrendsRequest renamed = asked;
        renamed.set_filter(Filter(asked.filter()));
        return store.GetTrends(renamed, answer);
      });
}

}  // namespace quantgate::server
