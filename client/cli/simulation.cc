#include "client/cli/simulation.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/cli/engine.h"
#include "client/fix/fix.h"
#include "client/npz/npz.h"
#include "rules/engine/field.h"
#include "rules/simulator/run/choose.h"
#include "rules/simulator/run/report.h"
#include "rules/simulator/run/worst_output.h"

namespace quantgate {

CLI::Option* AddThreadsFlag(CLI::App& command, int& threads) {
  return command
      .add_option("--threads", threads,
                  "Of a simulation (default 1; up to 3 have work: the float reference, real space, and the integers)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1024));
}

void KeepWeights(const SimulationFlags& flags, ImportOptions& options) {
  options.max_weight_bytes = static_cast<int64_t>(flags.max_memory);
  options.max_scanned_bytes = std::max(options.max_scanned_bytes, options.max_weight_bytes);
}

namespace {

using Tensors = absl::flat_hash_map<std::string, simulator::Tensor>;

using TakeValue = std::function<void(const std::string& name, const simulator::Tensor& tensor)>;

// What a run takes in and gives out beside its report. All may be nothing.
struct Beside {
  const Tensors* inputs = nullptr;
  const Tensors* references = nullptr;
  TakeValue on_value, on_reference;
};

absl::Status RunSimulation(const SimulationFlags& flags, const v1::Graph& graph, const Beside& beside,
                           Progress& progress, v1::Report& report) {
  simulator::Request request{flags.target, flags.profile, flags.seed, beside.inputs};
  Engine engine;
  if (!flags.target.empty()) {
    absl::StatusOr<Engine> opened = OpenEngine(flags.tables);
    if (!opened.ok()) return opened.status();
    engine = *std::move(opened);
  }
  simulator::SimulateOptions options;
  options.statistics = !flags.only_integers;
  options.real_space = !flags.no_real_space;
  options.threads = flags.threads;
  options.max_bytes = static_cast<int64_t>(flags.max_memory);
  options.on_value = beside.on_value;
  options.on_reference = beside.on_reference;
  options.references = beside.references;
  options.progress = [&](int done, int total) {
    progress.Step(absl::StrCat("simulating node ", done + 1, " of ", total));
  };
  absl::Status status = simulator::SimulateReport(graph, request, engine.modules.get(), options, report);
  progress.Step("");
  return status;
}

void AddNotSimulated(absl::string_view reason, v1::Result& result) {
  v1::NotChecked& missing = *result.add_not_checked();
  missing.set_rule("SM");
  missing.set_reason(std::string(reason));
}

// What a simulation says, in the result of its target.
void AddFindings(const v1::Report& simulated, v1::Report::Mode mode, v1::Result& result) {
  const v1::Result& about = simulated.results(0);
  result.mutable_findings()->MergeFrom(about.findings());
  if (about.verdict() == v1::Result::UNKNOWN) {
    AddNotSimulated(about.verdict_reason(), result);
  }
  if (about.verdict() == v1::Result::REJECTED && mode != v1::Report::WARN) {
    result.set_verdict(v1::Result::REJECTED);
    result.clear_verdict_reason();
  } else if (!about.findings().empty() && result.verdict() == v1::Result::ACCEPTED) {
    result.set_verdict(v1::Result::ACCEPTED_WITH_WARNINGS);
  }
}

// The arithmetic of a target; of the graph's origin, where there is none.
absl::StatusOr<std::string> ProfileOf(const std::string& target, v1::Graph::Origin origin) {
  TargetName name;
  if (!target.empty()) {
    absl::StatusOr<TargetName> parsed = ParseTargetName(target);
    if (!parsed.ok()) return parsed.status();
    name = *std::move(parsed);
  }
  const auto choice = simulator::ChooseProfile("", name.backend, name.soc, origin);
  if (!choice.ok()) return choice.status();
  return std::string(choice->profile->name);
}

// Each is a run of the whole model.
constexpr int kMostCosts = 8;

}  // namespace

absl::Status Simulate(const SimulationFlags& flags, const v1::Graph& graph, Progress& progress, v1::Report& report) {
  Tensors given;
  if (!flags.input.empty()) {
    auto read = ReadNpz(flags.input, static_cast<int64_t>(flags.max_memory));
    if (!read.ok()) return read.status();
    given = *std::move(read);
  }
  NpzWriter values(static_cast<int64_t>(flags.max_memory));
  absl::Status dumped;
  Beside beside;
  if (!flags.input.empty()) beside.inputs = &given;
  if (!flags.dump.empty()) {
    beside.on_value = [&](const std::string& name, const simulator::Tensor& tensor) {
      if (dumped.ok()) dumped = values.Add(name, tensor);
    };
  }
  absl::Status status = RunSimulation(flags, graph, beside, progress, report);
  if (!status.ok()) return status;
  return flags.dump.empty() || !dumped.ok() ? dumped : values.Close(flags.dump);
}

SimulationBeside::SimulationBeside(const SimulationFlags& flags, const ImportedModel& model, const v1::Graph& weighted,
                                   const ImportOptions& options, Progress& progress)
    : flags_(flags), model_(model), weighted_(weighted), options_(options), progress_(progress) {}

absl::StatusOr<const SimulationBeside::Run*> SimulationBeside::RunOf(const std::string& target) {
  const absl::StatusOr<std::string> profile = ProfileOf(target, weighted_.origin());
  if (!profile.ok()) return profile.status();
  const auto [place, is_new] = runs_.try_emplace(*profile);
  Run& run = place->second;
  if (!is_new) return &run;
  absl::flat_hash_set<std::string> inputs;
  for (const int32_t value : weighted_.inputs()) inputs.insert(weighted_.values(value - 1).name());
  absl::flat_hash_set<absl::string_view> ends;
  for (const std::vector<absl::string_view>& end : simulator::OutputValues(weighted_))
    ends.insert(end.begin(), end.end());
  absl::flat_hash_set<std::string> ambiguous;  // LiteRT's tensors may share a name
  Beside keep;
  keep.on_value = [&](const std::string& value, const simulator::Tensor& tensor) {
    if (inputs.contains(value)) run.inputs.try_emplace(value, tensor);
  };
  keep.on_reference = [&](const std::string& value, const simulator::Tensor& tensor) {
    if (ends.contains(value) && !run.references.try_emplace(value, tensor).second) ambiguous.insert(value);
  };
  SimulationFlags flags = flags_;
  flags.target = target;
  absl::Status status = RunSimulation(flags, weighted_, keep, progress_, run.report);
  for (const std::string& name : ambiguous) run.references.erase(name);
  if (status.ok()) return &run;
  runs_.erase(place);
  return status;
}

std::optional<double> SimulationBeside::Predict(const std::string& target, const v1::Correction& correction) {
  const absl::StatusOr<std::string> profile = ProfileOf(target, weighted_.origin());
  if (!profile.ok()) return std::nullopt;
  std::string key = *profile;
  for (const v1::Change& change : correction.changes()) change.AppendToString(&key);
  const auto [known, is_new] = predicted_.try_emplace(std::move(key));
  std::optional<double>& noise = known->second;
  if (!is_new) return noise;
  v1::Result alone;
  *alone.add_corrections() = correction;
  const absl::StatusOr<v1::Graph> corrected = CorrectedGraph(model_, alone, 0, options_);
  if (!corrected.ok()) return noise;
  const absl::StatusOr<const Run*> run = RunOf(target);
  if (!run.ok()) return noise;
  SimulationFlags flags = flags_;
  flags.target = target;
  flags.no_real_space = true;  // says nothing of the noise
  v1::Report simulated;
  Beside same;
  same.inputs = &(*run)->inputs;
  same.references = &(*run)->references;
  if (RunSimulation(flags, *corrected, same, progress_, simulated).ok()) {
    noise = simulator::WorstOutputDb(*corrected, simulated.simulation(), &(*run)->references);
  }
  return noise;
}

absl::Status SimulationBeside::AddTo(v1::Report& report) {
  int costs = 0;
  for (v1::Result& result : *report.mutable_results()) {
    const std::string target = result.target() == "any" ? "" : result.target();
    const absl::StatusOr<const Run*> run = RunOf(target);
    // A backend without a module, or a model that cannot be run: the check's answer stands without.
    if (FieldOf(run.status()) == "options.target" || absl::IsInvalidArgument(run.status())) {
      AddNotSimulated(run.status().message(), result);
      continue;
    }
    if (!run.ok()) return run.status();
    if (!report.has_simulation()) *report.mutable_simulation() = (*run)->report.simulation();
    const std::optional<double> before = simulator::WorstOutputDb(weighted_, (*run)->report.simulation());
    for (int i = 0; before.has_value() && i < result.corrections_size() && costs < kMostCosts; ++i, ++costs) {
      // A correction without a cost is still one: what hinders is not told.
      const std::optional<double> after = Predict(target, result.corrections(i));
      if (!after.has_value()) continue;
      v1::PredictedCost& cost = *result.mutable_corrections(i)->mutable_predicted_cost();
      cost.set_sqnr_before_db(*before);
      cost.set_sqnr_after_db(*after);
    }
    AddFindings((*run)->report, report.mode(), result);
  }
  return absl::OkStatus();
}

}  // namespace quantgate
