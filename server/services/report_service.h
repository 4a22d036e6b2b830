// quantgate.v1.ReportService over the report store. Raw bytes, for the reason that unary.h gives.
#ifndef QUANTGATE_SERVER_SERVICES_REPORT_SERVICE_H_
#define QUANTGATE_SERVER_SERVICES_REPORT_SERVICE_H_

#include <string>

#include "db/reports/report_store.h"
#include "quantgate/v1/report_service.grpc.pb.h"
#include "rules/engine/module.h"
#include "server/rpc/call.h"
#include "server/rpc/unary.h"

namespace quantgate::server {

using RawReportService = v1::ReportService::WithRawCallbackMethod_GetReport<
    v1::ReportService::WithRawCallbackMethod_ListReports<v1::ReportService::WithRawCallbackMethod_DeleteReport<
        v1::ReportService::WithRawCallbackMethod_DiffReports<v1::ReportService::WithRawCallbackMethod_ImportReports<
            v1::ReportService::WithRawCallbackMethod_PruneReports<
                v1::ReportService::WithRawCallbackMethod_GetGraph<v1::ReportService::WithRawCallbackMethod_GetFleet<
                    v1::ReportService::WithRawCallbackMethod_GetTrends<v1::ReportService::Service>>>>>>>>>;

class ReportService final : public RawReportService {
 public:
  // `store` null: every call is FAILED_PRECONDITION.
  ReportService(CallEnvironment environment, ModuleRegistry& modules, db::ReportStore* store)
      : environment_(environment), modules_(modules), store_(store) {}

  grpc::ServerUnaryReactor* GetReport(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListReports(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* DeleteReport(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* DiffReports(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ImportReports(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* PruneReports(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetGraph(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetFleet(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetTrends(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;

 private:
  // With targets as reports call them.
  std::string Filter(const std::string& asked) const;
  // Runs `work(*store_, request, response)`, with the call as well if it takes that, and counts what went wrong with
  // the store itself.
  template <typename Request, typename Response, typename Work>
  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const char* method,
                                const grpc::ByteBuffer* request, grpc::ByteBuffer* response, Work work,
                                const SizeLimit& limit = kLookupLimit);

  const CallEnvironment environment_;
  ModuleRegistry& modules_;
  db::ReportStore* const store_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_REPORT_SERVICE_H_
