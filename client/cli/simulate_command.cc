#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/commands.h"
#include "client/cli/engine.h"
#include "client/cli/overwrite.h"
#include "client/cli/progress.h"
#include "client/cli/simulation.h"
#include "client/cli/size_flag.h"
#include "client/import.h"
#include "client/report/json.h"
#include "client/report/simulation_text.h"
#include "google/protobuf/util/time_util.h"
#include "rules/graph/digest.h"
#include "rules/simulator/run/report.h"

namespace quantgate {
namespace {

struct SimulateFlags {
  std::string model;
  SimulationFlags simulation;
  bool verbose = false;
  std::shared_ptr<OutputFlags> output;
};

absl::Status CheckKeeps(const SimulateFlags& flags, const std::vector<KeptFile>& files) {
  return CheckOutputs(
      {{"--dump", flags.simulation.dump, "what --dump writes"}, {"--output", flags.output->output, "the report"}},
      files);
}

absl::StatusOr<v1::Report> SimulateFile(const SimulateFlags& flags) {
  Progress progress(Progress::KindForStderr(flags.output->quiet));
  progress.Step(absl::StrCat("reading ", flags.model));
  ImportOptions options;
  KeepWeights(flags.simulation, options);
  absl::StatusOr<ImportedModel> model = ImportModel(flags.model, options);
  if (!model.ok()) return model.status();
  if (absl::Status status = CheckKeeps(flags, WeightFiles(flags.model, model->graph)); !status.ok()) return status;
  v1::Report report;
  *report.mutable_model() = model->info;
  if (absl::Status status = Simulate(flags.simulation, model->graph, progress, report); !status.ok()) return status;
  simulator::DropWeights(model->graph);
  report.set_graph_digest(GraphDigest(model->graph));
  *report.mutable_create_time() =
      google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(absl::Now()));
  return report;
}

// Before CLI11 reads a number: it would take "-5" for a very large one.
std::string SeedText(std::string& text) {
  uint64_t seed = 0;
  // SimpleAtoi takes signs.
  const bool number = !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0]));
  if (number && absl::SimpleAtoi(text, &seed)) return "";
  return absl::StrCat("'", text, "' is no whole number from 0 to ", UINT64_MAX);
}

int RunSimulate(const SimulateFlags& flags) {
  if (flags.simulation.dump == "-") {
    return Fail(absl::InvalidArgumentError("--dump -: standard output has the report; name a file"));
  }
  const absl::Status kept = CheckKeeps(flags, {{flags.model, "the model"},
                                               {flags.simulation.input, "the inputs"},
                                               {TablesFile(flags.simulation.tables), "the tables"}});
  if (!kept.ok()) return Fail(kept);
  const absl::StatusOr<v1::Report> report = SimulateFile(flags);
  if (!report.ok()) return Fail(report.status());
  Style style = OutputStyle(*flags.output);
  style.verbose = flags.verbose;
  const absl::StatusOr<std::string> text =
      flags.output->format == "json" ? ToJson(*report) : absl::StatusOr<std::string>(RenderSimulation(*report, style));
  const v1::Result::Verdict verdict = report->results(0).verdict();
  const bool accepted = verdict == v1::Result::ACCEPTED || verdict == v1::Result::ACCEPTED_WITH_WARNINGS;
  return Finish(*flags.output, text, accepted ? 0 : 1);
}

}  // namespace

void AddSimulateCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("simulate", "Run a model through reference integer kernels, beside float");
  auto flags = std::make_shared<SimulateFlags>();
  command->add_option("MODEL", flags->model, "Model file; recognized by content")->required();
  command
      ->add_option("--input", flags->simulation.input,
                   "Inputs by name (.npz); without it they are made from recorded ranges")
      ->type_name("FILE");
  command
      ->add_option("--dump", flags->simulation.dump, "Write every value by name, integers where it is quantized (.npz)")
      ->type_name("FILE");
  command->add_option("--target", flags->simulation.target, "Whose arithmetic: BACKEND[/SOC][@SDK]")
      ->type_name("TARGET");
  command
      ->add_option("--profile", flags->simulation.profile,
                   "Whose arithmetic, by its own name: litert/xnnpack, torch, tosa, ...")
      ->type_name("NAME")
      ->excludes("--target");
  command->add_option("--seed", flags->simulation.seed, "Of inputs that are made")
      ->type_name("NUMBER")
      ->transform(CLI::Validator(SeedText, ""));
  TakesSize(command->add_option("--max-memory", flags->simulation.max_memory,
                                "Bytes of tensors held at one time, weights included (default 4GB)"),
            /*least=*/1);
  AddThreadsFlag(*command, flags->simulation.threads);
  command->add_flag("--only-integers", flags->simulation.only_integers,
                    "Leave out the float reference and the statistics");
  command->add_flag("--no-real-space", flags->simulation.no_real_space,
                    "Leave out fake-quantized float beside the integers, which saves time; SM005 is then not checked");
  command->add_flag("-v,--verbose", flags->verbose, "Every node instead of the worst");
  AddTablesFlag(*command, flags->simulation.tables);
  flags->output = AddOutputFlags(*command, {"format", "output"});
  command->footer(
      "Examples:\n"
      "  quantgate simulate model.onnx\n"
      "  quantgate simulate model.onnx --input in.npz --dump out.npz --target onnxruntime/cpu\n"
      "  quantgate simulate model.tflite --profile litert/xnnpack --format json\n"
      "Exit codes: 0 accepted, 1 an accumulator overflows or not all was computed, 2 the question could not be "
      "answered.");
  command->callback([flags, run] { *run = [flags] { return RunSimulate(*flags); }; });
}

}  // namespace quantgate
