// `quantgate serve` with the tests' engine behind it.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "client/cli/command.h"
#include "server/serve_command.h"
#include "tests/server/fake_engine.h"

namespace {

using TablesOrError = absl::StatusOr<std::unique_ptr<quantgate::db::TableSource>>;

TablesOrError OpenTables(const std::string& path) {
  if (!path.empty()) return absl::NotFoundError("no database at " + path);
  return std::make_unique<quantgate::fake::Tables>();
}

}  // namespace

int main(int argc, char** argv) {
  namespace fake = quantgate::fake;
  CLI::App app;
  std::function<absl::Status()> run;
  quantgate::AddServeCommand(app, &run, {fake::Check, fake::Rules(), fake::RegisterModules, OpenTables, nullptr, {}});
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = run();
  return status.ok() ? 0 : quantgate::Fail(status);
}
