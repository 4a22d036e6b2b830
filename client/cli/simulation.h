// A simulation as commands run it: files in and out around rules/simulator/run.
#ifndef QUANTGATE_CLIENT_CLI_SIMULATION_H_
#define QUANTGATE_CLIENT_CLI_SIMULATION_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "client/cli/progress.h"
#include "client/import.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"

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

// Beside a check: the simulation of each result's target, targets of one arithmetic once. Its findings count as the
// target's own; Report.simulation is that of the first. Corrections get their predicted cost, the first few of the
// report, where the model's format is one that can be written: the corrected copy is run on the same inputs. `model` is
// what was checked, without weights, `weighted` its graph with them, and `options` how it was read.
absl::Status SimulateBeside(const SimulationFlags& flags, const ImportedModel& model, const v1::Graph& weighted,
                            const ImportOptions& options, Progress& progress, v1::Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_SIMULATION_H_
