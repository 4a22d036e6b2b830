// quantgate.v1.CatalogService: targets, rules and constraint tables of this server.
#ifndef QUANTGATE_SERVER_CATALOG_SERVICE_H_
#define QUANTGATE_SERVER_CATALOG_SERVICE_H_

#include <string>
#include <vector>

#include "quantgate/v1/catalog_service.grpc.pb.h"
#include "rules/engine/module.h"
#include "rules/engine/rule.h"
#include "server/call.h"

namespace quantgate::server {

class CatalogService final : public v1::CatalogService::CallbackService {
 public:
  // `rules` is sorted by code. Listing targets or rules loads the modules it is about.
  CatalogService(CallEnvironment environment, ModuleRegistry& modules, std::vector<const RuleInfo*> rules)
      : environment_(environment), modules_(modules), rules_(std::move(rules)) {}

  grpc::ServerUnaryReactor* ListTargets(grpc::CallbackServerContext* context, const v1::ListTargetsRequest* request,
                                        v1::ListTargetsResponse* response) override;
  grpc::ServerUnaryReactor* ListRules(grpc::CallbackServerContext* context, const v1::ListRulesRequest* request,
                                      v1::ListRulesResponse* response) override;
  grpc::ServerUnaryReactor* GetRule(grpc::CallbackServerContext* context, const v1::GetRuleRequest* request,
                                    v1::GetRuleResponse* response) override;
  grpc::ServerUnaryReactor* ListConstraintTables(grpc::CallbackServerContext* context,
                                                 const v1::ListConstraintTablesRequest* request,
                                                 v1::ListConstraintTablesResponse* response) override;
  grpc::ServerUnaryReactor* ListConstraints(grpc::CallbackServerContext* context,
                                            const v1::ListConstraintsRequest* request,
                                            v1::ListConstraintsResponse* response) override;

 private:
  // NOT_FOUND for a backend that is not registered. A module that fails to load is logged and has no targets.
  absl::StatusOr<std::vector<v1::Target>> Targets(const std::string& backend) const;

  const CallEnvironment environment_;
  ModuleRegistry& modules_;
  const std::vector<const RuleInfo*> rules_;
};

}  // namespace quantgate::server

#endif  // QUANTGATE_SERVER_CATALOG_SERVICE_H_
