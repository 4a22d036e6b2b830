#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/report/json.h"
#include "client/report/layout.h"
#include "client/report/verdict.h"
#include "quantgate/v1/catalog_service.pb.h"
#include "rules/check.h"

namespace quantgate {
namespace {

v1::ListRulesResponse ListRules() {
  v1::ListRulesResponse response;
  for (const RuleInfo* info : AllRules()) {
    v1::Rule& rule = *response.add_rules();
    rule.set_name(absl::StrCat("rules/", info->code));
    rule.set_code(info->code);
    rule.set_title(info->name);
    rule.set_severity(info->severity);
    rule.set_effect(info->effect);
    for (int stage = v1::STAGE_ANNOTATED; stage <= v1::STAGE_CONVERTED; ++stage) {
      if (info->stages & (1u << stage)) rule.add_stages(static_cast<v1::Stage>(stage));
    }
    rule.set_explanation(ExplainRule(*info));
  }
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
  if (flags.format == "json") return Finish(flags, ToJson(ListRules()));
  return Finish(flags, RulesText(OutputStyle(flags)));
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
