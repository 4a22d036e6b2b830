// quantgate.v1.ReportService over the report store.
#ifndef QUANTGATE_SERVER_REPORT_SERVICE_H_
#define QUANTGATE_SERVER_REPORT_SERVICE_H_

#include <string>

#include "db/reports/report_store.h"
#include "quantgate/v1/report_service.grpc.pb.h"
#include "rules/engine/module.h"
#include "server/call.h"

namespace quantgate::server {

class ReportService final : public v1::ReportService::CallbackService {
 public:
  // `store` null: every call is FAILED_PRECONDITION.
  ReportService(CallEnvironment environment, ModuleRegistry& modules, db::ReportStore* store)
      : environment_(environment), modules_(modules), store_(store) {}

  grpc::ServerUnaryReactor* GetReport(grpc::CallbackServerContext* context, const v1::GetReportRequest* request,
                                      v1::GetReportResponse* response) override;
  grpc::ServerUnaryReactor* ListReports(grpc::CallbackServerContext* context, const v1::ListReportsRequest* request,
                                        v1::ListReportsResponse* response) override;
  grpc::ServerUnaryReactor* DeleteReport(grpc::CallbackServerContext* context, const v1::DeleteReportRequest* request,
                                         v1::DeleteReportResponse* response) override;
  grpc::ServerUnaryReactor* DiffReports(grpc::CallbackServerContext* context, const v1::DiffReportsRequest* request,
                                        v1::DiffReportsResponse* response) override;
  grpc::ServerUnaryReactor* ImportReports(grpc::CallbackServerContext* context, const v1::ImportReportsRequest* request,
                                          v1::ImportReportsResponse* response) override;
  grpc::ServerUnaryReactor* PruneReports(grpc::CallbackServerContext* context, const v1::PruneReportsRequest* request,
                                         v1::PruneReportsResponse* response) override;
  grpc::ServerUnaryReactor* GetGraph(grpc::CallbackServerContext* context, const v1::GetGraphRequest* request,
                                     v1::GetGraphResponse* response) override;
  grpc::ServerUnaryReactor* GetFleet(grpc::CallbackServerContext* context, const v1::GetFleetRequest* request,
                                     v1::GetFleetResponse* response) override;
  grpc::ServerUnaryReactor* GetTrends(grpc::CallbackServerContext* context, const v1::GetTrendsRequest* request,
                                      v1::GetTrendsResponse* response) override;

 private:
  // With targets as reports call them.
  std::string Filter(const std::string& asked) const;
  // Runs `work(*store_)` and counts what went wrong with the store itself.
  template <typename Work>
  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const char* method, Work work);

  const CallEnvironment environment_;
  ModuleRegistry& modules_;
  db::ReportStore* const store_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_REPORT_SERVICE_H_
