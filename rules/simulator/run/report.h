// A simulation as a report: whose arithmetic, what goes in, what it says. What is the same wherever it is asked for.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_REPORT_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_REPORT_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/report.pb.h"
#include "rules/engine/module.h"
#include "rules/simulator/run/simulate.h"

namespace quantgate::simulator {

struct Request {
  std::string target;   // "BACKEND[/SOC][@SDK]"; "": that of the graph's origin
  std::string profile;  // a name; not together with a target, which has its own
  uint64_t seed = 0;    // of inputs that are made
  // Tensors by name; null: they are made. Outlives the call.
  const absl::flat_hash_map<std::string, Tensor>* given = nullptr;
};

// Sets stage, tool version and simulation of `report` and adds a result about it; the simulation's profile is chosen
// here, whatever `options` has. `graph` has the bytes of its weights. `modules` may be null where no target is named.
// Errors are those of Graph::Build, TakeInputs, MakeInputs and Simulate; NOT_FOUND: no such target or profile. Those
// about a target carry the field "options.target", about a profile "options.profile".
absl::Status SimulateReport(const v1::Graph& graph, const Request& request, ModuleRegistry* modules,
                            SimulateOptions options, v1::Report& report);

// Leaves constants without their bytes: what a check looks at, and what Report.graph_digest is of.
void DropWeights(v1::Graph& graph);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_REPORT_H_
