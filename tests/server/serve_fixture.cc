// `quantgate serve` with the tests' engine behind it.
#include <CLI/CLI.hpp>

#include "rules/all_rules.h"
#include "rules/check.h"
#include "server/serve_command.h"
#include "tests/server/fake_engine.h"

namespace quantgate {

absl::Status Check(const v1::Graph& graph, const CheckOptions& options, ModuleRegistry& modules, v1::Report& report) {
  return fake::Check(graph, options, modules, report);
}
std::vector<const RuleInfo*> AllRules() { return fake::Rules(); }
void RegisterBuiltinModules(ModuleRegistry& modules) { fake::RegisterModules(modules); }

}  // namespace quantgate

int main(int argc, char** argv) {
  CLI::App app;
  std::function<int()> run;
  quantgate::AddServeCommand(app, &run);
  CLI11_PARSE(app, argc, argv);
  return run ? run() : 2;
}
