#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/commands.h"
#include "client/cli/engine.h"
#include "client/report/json.h"
#include "client/report/layout.h"
#include "quantgate/v1/catalog_service.pb.h"
#include "rules/catalog.h"

namespace quantgate {
namespace {

struct TargetsFlags {
  std::string backend;
  std::string tables;
  std::shared_ptr<OutputFlags> output;
};

absl::StatusOr<v1::ListTargetsResponse> ListTargets(const TargetsFlags& flags) {
  absl::StatusOr<Engine> engine = OpenEngine(flags.tables);
  if (!engine.ok()) return engine.status();
  const std::vector<std::string> backends =
      flags.backend.empty() ? engine->modules->names() : std::vector<std::string>{flags.backend};
  v1::ListTargetsResponse response;
  for (const std::string& backend : backends) {
    absl::StatusOr<std::vector<v1::Target>> targets = CatalogTargets(*engine->modules, backend);
    if (!targets.ok()) return targets.status();
    for (v1::Target& target : *targets) *response.add_targets() = std::move(target);
  }
  return response;
}

// What tells a SoC from others of its arch.
std::string Differences(const v1::Target& target) {
  std::vector<std::string> parts;
  if (target.integers_only()) parts.emplace_back("no floats");
  if (!target.kernels().empty()) parts.push_back(absl::StrCat("kernels of ", target.kernels()));
  return absl::StrJoin(parts, ", ");
}

std::string TargetsText(const v1::ListTargetsResponse& response, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"target", "arch", "sdk", "hardware", "also known as"}};
  for (const v1::Target& target : response.targets()) {
    rows.push_back({target.name(), target.arch(), absl::StrJoin(target.sdk_versions(), ", "), Differences(target),
                    absl::StrJoin(target.aliases(), ", ")});
  }
  return RenderTable(rows, style);
}

int RunTargets(const TargetsFlags& flags) {
  const absl::StatusOr<v1::ListTargetsResponse> response = ListTargets(flags);
  if (!response.ok()) return Fail(response.status());
  if (flags.output->format == "json") return Finish(*flags.output, ToJson(*response));
  return Finish(*flags.output, TargetsText(*response, OutputStyle(*flags.output)));
}

}  // namespace

void AddTargetsCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("targets", "List what models can be checked against");
  auto flags = std::make_shared<TargetsFlags>();
  command->add_option("backend,--backend", flags->backend, "Only this backend")->type_name("NAME");
  AddTablesFlag(*command, flags->tables);
  flags->output = AddOutputFlags(*command, {"format"});
  command->footer(
      "Examples:\n"
      "  quantgate targets\n"
      "  quantgate targets qnn_htp\n"
      "  quantgate targets --backend qnn_htp --format json");
  command->callback([flags, run] { *run = [flags] { return RunTargets(*flags); }; });
}

}  // namespace quantgate
