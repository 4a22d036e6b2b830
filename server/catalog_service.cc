#include "server/catalog_service.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "rules/catalog.h"
#include "server/constraint_text.h"
#include "server/paging.h"

namespace quantgate::server {
namespace {

constexpr char kRulePrefix[] = "rules/";
constexpr char kTablePrefix[] = "constraintTables/";

std::string TableName(absl::string_view backend, absl::string_view sdk) {
  return absl::StrCat(kTablePrefix, backend, "@", sdk);
}

}  // namespace

absl::StatusOr<std::vector<v1::Target>> CatalogService::Targets(const std::string& backend) const {
  std::vector<std::string> names = modules_.names();
  if (!backend.empty()) {
    // Get's own NOT_FOUND lists the nearest names.
    if (std::find(names.begin(), names.end(), backend) == names.end()) return modules_.Get(backend).status();
    names = {backend};
  }
  std::vector<v1::Target> list;
  for (const std::string& name : names) {
    absl::StatusOr<std::vector<v1::Target>> targets = CatalogTargets(modules_, name);
    if (!targets.ok()) {
      environment_.log.Event(Log::Level::kWarning, "module_failed",
                             {{"module", name}, {"message", std::string(targets.status().message())}});
      if (!backend.empty()) return targets.status();
      continue;
    }
    std::move(targets->begin(), targets->end(), std::back_inserter(list));
  }
  return list;
}

grpc::ServerUnaryReactor* CatalogService::ListTargets(grpc::CallbackServerContext* context,
                                                      const v1::ListTargetsRequest* request,
                                                      v1::ListTargetsResponse* response) {
  return RunUnary(environment_, context, "CatalogService/ListTargets", [=, this](Call&) -> absl::Status {
    absl::StatusOr<std::vector<v1::Target>> targets = Targets(request->backend());
    if (!targets.ok()) return targets.status();
    return AddPage(*request, absl::StrCat("targets ", request->backend()), targets->size(), *response,
                   [&](size_t i) { *response->add_targets() = std::move((*targets)[i]); });
  });
}

grpc::ServerUnaryReactor* CatalogService::ListRules(grpc::CallbackServerContext* context,
                                                    const v1::ListRulesRequest* request,
                                                    v1::ListRulesResponse* response) {
  return RunUnary(environment_, context, "CatalogService/ListRules", [=, this](Call&) {
    return AddPage(*request, "rules", rules_.size(), *response,
                   [&](size_t i) { *response->add_rules() = CatalogRule(modules_, *rules_[i]); });
  });
}

grpc::ServerUnaryReactor* CatalogService::GetRule(grpc::CallbackServerContext* context,
                                                  const v1::GetRuleRequest* request, v1::GetRuleResponse* response) {
  return RunUnary(environment_, context, "CatalogService/GetRule", [=, this](Call&) -> absl::Status {
    absl::string_view code = request->name();
    if (!absl::ConsumePrefix(&code, kRulePrefix)) {
      return absl::InvalidArgumentError("name: must be rules/{code}, such as rules/NR001");
    }
    for (const RuleInfo* info : rules_) {
      if (code != info->code) continue;
      *response->mutable_rule() = CatalogRule(modules_, *info);
      return absl::OkStatus();
    }
    return absl::NotFoundError(absl::StrCat("no rule ", request->name()));
  });
}

grpc::ServerUnaryReactor* CatalogService::ListConstraintTables(grpc::CallbackServerContext* context,
                                                               const v1::ListConstraintTablesRequest* request,
                                                               v1::ListConstraintTablesResponse* response) {
  return RunUnary(environment_, context, "CatalogService/ListConstraintTables", [=, this](Call&) {
    const std::vector<db::TableInfo>& tables = modules_.tables().tables();
    return AddPage(*request, "tables", tables.size(), *response, [&](size_t i) {
      v1::ConstraintTable& table = *response->add_tables();
      table.set_name(TableName(tables[i].backend, tables[i].sdk));
      table.set_backend(tables[i].backend);
      table.set_sdk_version(tables[i].sdk);
      table.set_op_count(tables[i].ops);
      table.set_row_count(tables[i].rows);
      table.set_item_count(tables[i].items);
      table.set_document(tables[i].document);
    });
  });
}

grpc::ServerUnaryReactor* CatalogService::ListConstraints(grpc::CallbackServerContext* context,
                                                          const v1::ListConstraintsRequest* request,
                                                          v1::ListConstraintsResponse* response) {
  return RunUnary(environment_, context, "CatalogService/ListConstraints", [=, this](Call&) -> absl::Status {
    if (!absl::StartsWith(request->parent(), kTablePrefix)) {
      return absl::InvalidArgumentError("parent: must be constraintTables/{table}, as qnn_htp@2.25.0");
    }
    const db::TableSource& source = modules_.tables();
    absl::StatusOr<db::TableInfo> info = FindTable(source, request->parent().substr(sizeof kTablePrefix - 1));
    if (!info.ok()) return info.status();
    absl::StatusOr<db::ConstraintTable> table = source.LoadTable(info->backend, info->sdk);
    if (!table.ok()) return table.status();
    std::vector<v1::Constraint> constraints = ConstraintsOf(*table, request->op());
    if (constraints.empty() && !request->op().empty()) {
      return absl::NotFoundError(absl::StrCat(request->parent(), " says nothing of operator '", request->op(), "'"));
    }
    return AddPage(*request, absl::StrCat("constraints ", request->parent(), " ", request->op()), constraints.size(),
                   *response, [&](size_t i) { *response->add_constraints() = std::move(constraints[i]); });
  });
}

}  // namespace quantgate::server
