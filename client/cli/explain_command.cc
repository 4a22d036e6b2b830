#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/commands.h"
#include "rules/all_rules.h"
#include "rules/engine/nearest.h"

namespace quantgate {
namespace {

// `asked`: also as `rules --format json` and the services name it, "rules/NR001".
int RunExplain(const std::string& asked, const OutputFlags& flags) {
  const std::string wanted(absl::StripPrefix(asked, "rules/"));
  std::vector<std::string> names;
  std::string pages;  // a rule of a backend may have the name of a general one
  for (const RuleInfo* info : AllRules()) {
    if (absl::EqualsIgnoreCase(info->code, wanted) || absl::EqualsIgnoreCase(info->name, wanted)) {
      absl::StrAppend(&pages, pages.empty() ? "" : "\n", ExplainRule(*info));
    }
    names.push_back(info->code);
    names.push_back(info->name);
  }
  if (!pages.empty()) return Finish(flags, pages);
  return Fail(absl::NotFoundError(absl::StrCat("no rule has the code or name '", wanted, "'", DidYouMean(wanted, names),
                                               " (see quantgate rules)")));
}

}  // namespace

void AddExplainCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("explain", "Say what a finding code means and what to do");
  auto wanted = std::make_shared<std::string>();
  command->add_option("CODE", *wanted, "Code or name of a rule")->required();
  const auto flags = AddOutputFlags(*command);
  command->footer(
      "Examples:\n"
      "  quantgate explain NR001\n"
      "  quantgate explain scale-range");
  command->callback([wanted, flags, run] { *run = [wanted, flags] { return RunExplain(*wanted, *flags); }; });
}

}  // namespace quantgate
