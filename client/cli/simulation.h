// A simulation as commands run it: files in and out around rules/simulator/run.
#ifndef QUANTGATE_CLIENT_CLI_SIMULATION_H_
#define QUANTGATE_CLIENT_CLI_SIMULATION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/progress.h"
#include "client/import.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "rules/simulator/tensor.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace quantgate {

struct SimulationFlags {
  std::string target;   // "": that of the graph's origin
  std::string profile;  // instead of the target's own
  std::string tables;
  std::string input;  // .npz; "": made from `seed`
  std::string dump;   // .npz; "": none
  uint64_t seed = 0;
  uint64_t max_memory = uint64_t{4} << 30;
  bool only_integers = false;
  bool no_real_space = false;
  int threads = 1;
};

// --threads.
CLI::Option* AddThreadsFlag(CLI::App& command, int& threads);

// Weights are read with the model.
void KeepWeights(const SimulationFlags& flags, ImportOptions& options);

// Adds the simulation, stage, tool version and a result about it to `report`. `graph` has the bytes of its weights.
absl::Status Simulate(const SimulationFlags& flags, const v1::Graph& graph, Progress& progress, v1::Report& report);

// A simulation beside a check: of each result's target, targets of one arithmetic once, and of copies with corrections
// on the same inputs, where the model's format is one that can be written. Everything that it is made of must outlive
// it.
class SimulationBeside {
 public:
  // `model` is what is checked, without weights, `weighted` its graph with them, `options` how it was read.
  SimulationBeside(const SimulationFlags& flags, const ImportedModel& model, const v1::Graph& weighted,
                   const ImportOptions& options, Progress& progress);

  // Signal to quantization noise of the model's worst output for one target ("": none) with a correction and nothing
  // else, in dB, against the float reference of the model as it is: what weights lose that are rounded anew counts.
  // nullopt: the correction cannot be written, or a simulation fails.
  std::optional<double> Predict(const std::string& target, const v1::Correction& correction);

  // The findings of a simulation count as the target's own; Report.simulation is that of the first target. Corrections
  // get their predicted cost, the first few of the report.
  absl::Status AddTo(v1::Report& report);

 private:
  // The model as it is.
  struct Run {
    v1::Report report;
    absl::flat_hash_map<std::string, simulator::Tensor> inputs, references;  // the latter of what is read at the end
  };

  absl::StatusOr<const Run*> RunOf(const std::string& target);

  const SimulationFlags& flags_;
  const ImportedModel& model_;
  const v1::Graph& weighted_;
  const ImportOptions& options_;
  Progress& progress_;
  std::map<std::string, Run> runs_;                         // by profile
  std::map<std::string, std::optional<double>> predicted_;  // by profile and changes
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_SIMULATION_H_
