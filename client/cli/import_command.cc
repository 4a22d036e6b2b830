#include <fstream>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/import_flags.h"
#include "client/cli/overwrite.h"
#include "client/cli/progress.h"
#include "client/graph_file.h"
#include "client/import.h"
#include "client/report/json.h"
#include "client/report/layout.h"

namespace quantgate {
namespace {

struct ImportFlags {
  std::string model;
  std::string graph;
  std::string info;  // empty: not asked for
  bool self_contained = false;
  ImportOptions options;
  std::shared_ptr<OutputFlags> output;
};

// A file beside the model that has weights of it and is not there; empty: none.
std::string MissingFile(const v1::Graph& graph) {
  for (const v1::Value& value : graph.values()) {
    const v1::ExternalData& external = value.constant().external();
    if (external.status() == v1::ExternalData::MISSING) return external.location();
  }
  for (const v1::Graph& subgraph : graph.subgraphs()) {
    if (std::string file = MissingFile(subgraph); !file.empty()) return file;
  }
  return "";
}

int RunImport(const ImportFlags& flags) {
  const std::vector<KeptFile> inputs = {{flags.model, "the model"}, {flags.options.encodings, "the encodings"}};
  const std::vector<OutputFile> outputs = {{"--output", flags.graph, "what --output writes"},
                                           {"--info", flags.info, "what --info writes"}};
  if (absl::Status kept = CheckOutputs(outputs, inputs); !kept.ok()) return Fail(kept);
  if (flags.info == "-") return Fail(absl::InvalidArgumentError("--info -: name a file"));
  Progress progress(Progress::KindForStderr(flags.output->quiet));
  progress.Step(absl::StrCat("reading ", flags.model));
  const absl::StatusOr<ImportedModel> model = ImportModel(flags.model, flags.options);
  progress.Step("");
  if (!model.ok()) return Fail(model.status());
  // Encodings may have been joined with the model, or it may be a graph that was made of one.
  if (flags.self_contained && model->graph.origin() == v1::Graph::ONNX) {
    if (const std::string file = MissingFile(model->graph); !file.empty()) {
      return Fail(absl::InvalidArgumentError(
          absl::StrCat("the model keeps its weights in '", file,
                       "', which is not here: run 'quantgate check --server' where both files are")));
    }
  }
  const std::vector<KeptFile> weights = WeightFiles(flags.model, model->graph);
  if (absl::Status kept = CheckOutputs(outputs, weights); !kept.ok()) return Fail(kept);
  if (absl::Status status = WriteGraphFile(model->graph, flags.graph); !status.ok()) return Fail(status);
  if (!flags.info.empty()) {
    const absl::StatusOr<std::string> json = ToJson(model->info);
    if (!json.ok()) return Fail(json.status());
    std::ofstream file(flags.info, std::ios::binary);
    if (!(file << *json) || !file.flush()) return Fail(absl::InvalidArgumentError(flags.info + ": cannot be written"));
  }
  if (!flags.output->quiet) {
    const std::string note =
        Printable(absl::StrCat(flags.graph, ": ", Count(model->graph.nodes_size(), "node"), ", ",
                               Count(model->graph.values_size(), "value"), " from ", model->info.format()));
    std::fprintf(stderr, "%s\n", note.c_str());
  }
  return 0;
}

}  // namespace

void AddImportCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("import", "Turn a model file into a quantgate.v1.Graph");
  auto flags = std::make_shared<ImportFlags>();
  command->add_option("MODEL", flags->model, "Model file; recognized by content")->required();
  command->add_option("-o,--output", flags->graph, "Graph file: .pb (binary), .json or .txtpb")
      ->required()
      ->type_name("GRAPH");
  command->add_option("--info", flags->info, "Also write path, SHA-256 and format of the model there, as JSON")
      ->type_name("FILE");
  command->add_flag("--self-contained", flags->self_contained,
                    "Refuse a model whose weights are in another file that is not there");
  AddImportFlags(*command, flags->options);
  flags->output = AddOutputFlags(*command);
  command->footer(
      "Examples:\n"
      "  quantgate import model.onnx -o graph.pb\n"
      "  quantgate import model.onnx -o graph.txtpb    to read or edit; 'check' takes it as a model");
  command->callback([flags, run] { *run = [flags] { return RunImport(*flags); }; });
}

}  // namespace quantgate
