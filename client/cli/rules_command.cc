#include "CLI/CLI.hpp"
#include "client/cli/commands.h"
#include "client/cli/engine.h"
#include "client/report/json.h"
#include "client/report/layout.h"
#include "client/report/verdict.h"
#include "quantgate/v1/catalog_service.pb.h"
#include "rules/all_rules.h"
#include "rules/catalog.h"

namespace quantgate {
namespace {

absl::StatusOr<v1::ListRulesResponse> ListRules(const std::string& tables) {
  absl::StatusOr<Engine> engine = OpenEngine(tables);
  if (!engine.ok()) return engine.status();
  v1::ListRulesResponse response;
  for (const RuleInfo* info : AllRules()) *response.add_rules() = CatalogRule(*engine->modules, *info);
  return response;
}

std::string RulesText(const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"code", "name", "severity", "effect", "what it says"}};
  for (const RuleInfo* info : AllRules()) {
    rows.push_back({info->code, info->name, Readable(v1::Finding::Severity_Name(info->severity)),
                    Readable(v1::Finding::Effect_Name(info->effect)), info->message});
  }
  return RenderTable(rows, style);
}

int RunRules(const OutputFlags& flags) {
  if (flags.format != "json") return Finish(flags, RulesText(OutputStyle(flags)));
  const absl::StatusOr<v1::ListRulesResponse> response = ListRules(/*tables=*/"");
  return response.ok() ? Finish(flags, ToJson(*response)) : Fail(response.status());
}

}  // namespace

void AddRulesCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("rules", "List what is checked");
  const auto flags = AddOutputFlags(*command, {"format"});
  command->footer(
      "Examples:\n"
      "  quantgate rules\n"
      "  quantgate rules --format json");
  command->callback([flags, run] { *run = [flags] { return RunRules(*flags); }; });
}

}  // namespace quantgate
