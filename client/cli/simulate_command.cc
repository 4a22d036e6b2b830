#include <optional>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/commands.h"
#include "client/cli/engine.h"
#include "client/cli/progress.h"
#include "client/import.h"
#include "client/npz/npz.h"
#include "client/report/json.h"
#include "client/report/layout.h"
#include "client/report/simulation_text.h"
#include "google/protobuf/util/time_util.h"
#include "rules/engine/module.h"
#include "rules/graph/digest.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/run/choose.h"
#include "rules/simulator/run/judge.h"
#include "rules/simulator/run/simulate.h"

namespace quantgate {
namespace {

struct SimulateFlags {
  std::string model;
  std::string input;
  std::string dump;
  std::string target;
  std::string profile;
  std::string tables;
  uint64_t seed = 0;
  uint64_t max_memory = uint64_t{4} << 30;
  bool only_integers = false;
  bool verbose = false;
  std::shared_ptr<OutputFlags> output;
};

// `resolved` becomes the target's full name.
absl::StatusOr<simulator::ProfileChoice> ChooseFor(const SimulateFlags& flags, v1::Graph::Origin origin,
                                                   std::string& resolved) {
  TargetName name;
  if (!flags.target.empty()) {
    absl::StatusOr<TargetName> parsed = ParseTargetName(flags.target);
    if (!parsed.ok()) return parsed.status();
    absl::StatusOr<Engine> engine = OpenEngine(flags.tables);
    if (!engine.ok()) return engine.status();
    absl::StatusOr<const Module*> module = engine->modules->Get(parsed->backend);
    if (!module.ok()) return module.status();
    const absl::StatusOr<Target> target = (*module)->resolve(*parsed);
    if (!target.ok()) return target.status();
    resolved = target->name;
    name = *std::move(parsed);
  }
  return simulator::ChooseProfile(flags.profile, name.backend, name.soc, origin);
}

absl::StatusOr<simulator::Inputs> InputsFor(const SimulateFlags& flags, const Graph& graph,
                                            const ResolvedGraph& resolved) {
  if (flags.input.empty()) return simulator::MakeInputs(graph, resolved, flags.seed);
  const auto given = ReadNpz(flags.input, static_cast<int64_t>(flags.max_memory));
  if (!given.ok()) return given.status();
  return simulator::TakeInputs(graph, *given);
}

absl::StatusOr<v1::Report> SimulateFile(const SimulateFlags& flags) {
  Progress progress(Progress::KindForStderr(flags.output->quiet));
  progress.Step(absl::StrCat("reading ", flags.model));
  ImportOptions import;
  import.max_weight_bytes = static_cast<int64_t>(flags.max_memory);
  import.max_scanned_bytes = import.max_weight_bytes;
  absl::StatusOr<ImportedModel> model = ImportModel(flags.model, import);
  if (!model.ok()) return model.status();
  const absl::StatusOr<Graph> graph = Graph::Build(model->graph);
  if (!graph.ok()) return graph.status();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
  std::string target = "any";
  const absl::StatusOr<simulator::ProfileChoice> choice = ChooseFor(flags, graph->origin(), target);
  if (!choice.ok()) return choice.status();
  absl::StatusOr<simulator::Inputs> inputs = InputsFor(flags, *graph, resolved);
  if (!inputs.ok()) return inputs.status();

  NpzWriter values(static_cast<int64_t>(flags.max_memory));
  absl::Status dumped;
  simulator::SimulateOptions options;
  options.profile = choice->profile;
  options.statistics = !flags.only_integers;
  options.max_bytes = static_cast<int64_t>(flags.max_memory);
  options.progress = [&](int done, int total) {
    progress.Step(absl::StrCat("simulating node ", done + 1, " of ", total));
  };
  if (!flags.dump.empty()) {
    options.on_value = [&](const std::string& name, const simulator::Tensor& tensor) {
      if (dumped.ok()) dumped = values.Add(name, tensor);
    };
  }
  absl::StatusOr<v1::Simulation> simulation = simulator::Simulate(*graph, resolved, *std::move(inputs), options);
  progress.Step("");
  if (!simulation.ok()) return simulation.status();
  if (!flags.dump.empty() && dumped.ok()) dumped = values.Close(flags.dump);
  if (!dumped.ok()) return dumped;
  v1::Report report;
  *report.mutable_model() = model->info;
  report.set_stage(model->graph.stage());
  report.set_tool_version(QUANTGATE_VERSION);
  // What a check of the same file says: without the weights.
  for (v1::Value& value : *model->graph.mutable_values()) {
    if (value.has_constant()) value.mutable_constant()->clear_data();
  }
  report.set_graph_digest(GraphDigest(model->graph));
  *report.mutable_create_time() =
      google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(absl::Now()));
  simulation->set_profile_reason(choice->reason);
  *report.mutable_simulation() = *std::move(simulation);
  simulator::Judge(*graph, target, report);
  return report;
}

int RunSimulate(const SimulateFlags& flags) {
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
  command->add_option("--input", flags->input, "Inputs by name (.npz); without it they are made from recorded ranges")
      ->type_name("FILE");
  command->add_option("--dump", flags->dump, "Write every value by name, integers where it is quantized (.npz)")
      ->type_name("FILE");
  command->add_option("--target", flags->target, "Whose arithmetic: BACKEND[/SOC][@SDK]")->type_name("TARGET");
  command
      ->add_option("--profile", flags->profile, "Whose arithmetic, by its own name: litert/xnnpack, torch, tosa, ...")
      ->type_name("NAME");
  command->add_option("--seed", flags->seed, "Of inputs that are made")->type_name("NUMBER");
  command
      ->add_option("--max-memory", flags->max_memory,
                   "Bytes of tensors held at one time, weights included (default 4GB)")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  command->add_flag("--only-integers", flags->only_integers, "Leave out the float reference and the statistics");
  command->add_flag("--verbose", flags->verbose, "Every node instead of the worst");
  AddTablesFlag(*command, flags->tables);
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
