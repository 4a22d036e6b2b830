#include "client/cli/simulation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/engine.h"
#include "client/npz/npz.h"
#include "rules/engine/module.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/run/choose.h"
#include "rules/simulator/run/judge.h"
#include "rules/simulator/run/simulate.h"

namespace quantgate {
namespace {

// `resolved` becomes the target's full name.
absl::StatusOr<simulator::ProfileChoice> ChooseFor(const SimulationFlags& flags, v1::Graph::Origin origin,
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

absl::StatusOr<simulator::Inputs> InputsFor(const SimulationFlags& flags, const Graph& graph,
                                            const ResolvedGraph& resolved) {
  if (flags.input.empty()) return simulator::MakeInputs(graph, resolved, flags.seed);
  const auto given = ReadNpz(flags.input, static_cast<int64_t>(flags.max_memory));
  if (!given.ok()) return given.status();
  return simulator::TakeInputs(graph, *given);
}

}  // namespace

void KeepWeights(const SimulationFlags& flags, ImportOptions& options) {
  options.max_weight_bytes = static_cast<int64_t>(flags.max_memory);
  options.max_scanned_bytes = std::max(options.max_scanned_bytes, options.max_weight_bytes);
}

v1::Graph WithoutWeights(v1::Graph graph) {
  for (v1::Value& value : *graph.mutable_values()) {
    if (value.has_constant()) value.mutable_constant()->clear_data();
  }
  for (v1::Graph& body : *graph.mutable_subgraphs()) body = WithoutWeights(std::move(body));
  return graph;
}

absl::Status Simulate(const SimulationFlags& flags, const v1::Graph& message, Progress& progress, v1::Report& report) {
  const absl::StatusOr<Graph> graph = Graph::Build(message);
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
  simulation->set_profile_reason(choice->reason);
  *report.mutable_simulation() = *std::move(simulation);
  simulator::Judge(*graph, target, report);
  return absl::OkStatus();
}

absl::Status SimulateBeside(const SimulationFlags& flags, const v1::Graph& graph, Progress& progress,
                            v1::Report& report) {
  v1::Report simulated;
  if (absl::Status status = Simulate(flags, graph, progress, simulated); !status.ok()) return status;
  *report.mutable_simulation() = std::move(*simulated.mutable_simulation());
  if (report.results().empty()) return absl::OkStatus();
  v1::Result& result = *report.mutable_results(0);
  const v1::Result& about = simulated.results(0);
  result.mutable_findings()->MergeFrom(about.findings());
  if (about.verdict() == v1::Result::UNKNOWN) {
    v1::NotChecked& missing = *result.add_not_checked();
    missing.set_rule("SM");
    missing.set_reason(about.verdict_reason());
  }
  if (about.verdict() == v1::Result::REJECTED && report.mode() != v1::Report::WARN) {
    result.set_verdict(v1::Result::REJECTED);
    result.clear_verdict_reason();
  } else if (!about.findings().empty() && result.verdict() == v1::Result::ACCEPTED) {
    result.set_verdict(v1::Result::ACCEPTED_WITH_WARNINGS);
  }
  return absl::OkStatus();
}

}  // namespace quantgate
