// quantgate.v1.CatalogService: targets, rules and constraint tables of this server. Raw bytes, for the reason
// that unary.h gives.
#ifndef QUANTGATE_SERVER_SERVICES_CATALOG_SERVICE_H_
#define QUANTGATE_SERVER_SERVICES_CATALOG_SERVICE_H_

#include <string>
#include <vector>

#include "quantgate/v1/catalog_service.grpc.pb.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"
#include "server/rpc/call.h"

namespace quantgate::server {

using RawCatalogService = v1::CatalogService::WithRawCallbackMethod_ListTargets<
    v1::CatalogService::WithRawCallbackMethod_ListRules<v1::CatalogService::WithRawCallbackMethod_GetRule<
        v1::CatalogService::WithRawCallbackMethod_ListConstraintTables<
            v1::CatalogService::WithRawCallbackMethod_ListConstraints<v1::CatalogService::Service>>>>>;

class CatalogService final : public RawCatalogService {
 public:
  // `rules` is sorted by code. Listing targets or rules loads the modules it is about.
  CatalogService(CallEnvironment environment, ModuleRegistry& modules, std::vector<const RuleInfo*> rules)
      : environment_(environment), modules_(modules), rules_(std::move(rules)) {}

  grpc::ServerUnaryReactor* ListTargets(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListRules(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetRule(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListConstraintTables(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                                 grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListConstraints(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;

 private:
  // Of one backend, or of all (""). NOT_FOUND: no backend has that name. FAILED_PRECONDITION: there is no module for
  // it. One that fails to load is its own error, and is logged; among all it has no targets.
  absl::StatusOr<std::vector<v1::Target>> Targets(const std::string& backend) const;

  const CallEnvironment environment_;
  ModuleRegistry& modules_;
  const std::vector<const RuleInfo*> rules_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_SERVICES_CATALOG_SERVICE_H_
