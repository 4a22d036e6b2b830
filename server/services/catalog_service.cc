#include "server/services/catalog_service.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "rules/catalog.h"
#include "server/rpc/unary.h"
#include "server/services/constraint_text.h"
#include "server/services/paging.h"

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
                                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return RunUnary<v1::ListTargetsRequest, v1::ListTargetsResponse>(
      environment_, context, "CatalogService/ListTargets", kLookupLimit, request, response,
      [this](Call&, const v1::ListTargetsRequest& asked, v1::ListTargetsResponse& answer) -> absl::Status {
        absl::StatusOr<std::vector<v1::Target>> targets = Targets(asked.backend());
        if (!targets.ok()) return targets.status();
        return AddPage(asked, absl::StrCat("targets ", asked.backend()), targets->size(), answer,
                       [&](size_t i) { *answer.add_targets() = std::move((*targets)[i]); });
      });
}

grpc::ServerUnaryReactor* CatalogService::ListRules(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return RunUnary<v1::ListRulesRequest, v1::ListRulesResponse>(
      environment_, context, "CatalogService/ListRules", kLookupLimit, request, response,
      [this](Call&, const v1::ListRulesRequest& asked, v1::ListRulesResponse& answer) {
        return AddPage(asked, "rules", rules_.size(), answer,
                       [&](size_t i) { *answer.add_rules() = CatalogRule(modules_, *rules_[i]); });
      });
}

grpc::ServerUnaryReactor* CatalogService::GetRule(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) {
  return RunUnary<v1::GetRuleRequest, v1::GetRuleResponse>(
      environment_, context, "CatalogService/GetRule", kLookupLimit, request, response,
      [this](Call&, const v1::GetRuleRequest& asked, v1::GetRuleResponse& answer) -> absl::Status {
        absl::string_view code = asked.name();
        if (!absl::ConsumePrefix(&code, kRulePrefix)) {
          return absl::InvalidArgumentError("name: must be rules/{code}, such as rules/NR001");
        }
        for (const RuleInfo* info : rules_) {
          if (code != info->code) continue;
          *answer.mutable_rule() = CatalogRule(modules_, *info);
          return absl::OkStatus();
        }
        return absl::NotFoundError(absl::StrCat("no rule ", asked.name()));
      });
}

grpc::ServerUnaryReactor* CatalogService::ListConstraintTables(grpc::CallbackServerContext* context,
                                                               const grpc::ByteBuffer* request,
                                                               grpc::ByteBuffer* response) {
  return RunUnary<v1::ListConstraintTablesRequest, v1::ListConstraintTablesResponse>(
      environment_, context, "CatalogService/ListConstraintTables", kLookupLimit, request, response,
      [this](Call&, const v1::ListConstraintTablesRequest& asked, v1::ListConstraintTablesResponse& answer) {
        const std::vector<db::TableInfo>& tables = modules_.tables().tables();
        return AddPage(asked, "tables", tables.size(), answer, [&](size_t i) {
          v1::ConstraintTable& table = *answer.add_tables();
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
                                                          const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return RunUnary<v1::ListConstraintsRequest, v1::ListConstraintsResponse>(
      environment_, context, "CatalogService/ListConstraints", kLookupLimit, request, response,
      [this](Call&, const v1::ListConstraintsRequest& asked, v1::ListConstraintsResponse& answer) -> absl::Status {
        if (!absl::StartsWith(asked.parent(), kTablePrefix)) {
          return absl::InvalidArgumentError("parent: must be constraintTables/{table}, as qnn_htp@2.25.0");
        }
        const db::TableSource& source = modules_.tables();
        absl::StatusOr<db::TableInfo> info = FindTable(source, asked.parent().substr(sizeof kTablePrefix - 1));
        if (!info.ok()) return info.status();
        absl::StatusOr<db::ConstraintTable> table = source.LoadTable(info->backend, info->sdk);
        if (!table.ok()) return table.status();
        std::vector<v1::Constraint> constraints = ConstraintsOf(*table, asked.op());
        if (constraints.empty() && !asked.op().empty()) {
          return absl::NotFoundError(absl::StrCat(asked.parent(), " says nothing of operator '", asked.op(), "'"));
        }
        return AddPage(asked, absl::StrCat("constraints ", asked.parent(), " ", asked.op()), constraints.size(), answer,
                       [&](size_t i) { *answer.add_constraints() = std::move(constraints[i]); });
      });
}

}  // namespace quantgate::server
