// What is left of the signal where a model ends.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_WORST_OUTPUT_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_WORST_OUTPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/simulation.pb.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// By name, for each output of the graph the values that show what it is, the first of which a simulation lists counts:
// a Dequantize at the end is part of what is read through it.
std::vector<std::vector<absl::string_view>> OutputValues(const v1::Graph& graph);

// The output with the most noise, as Simulation.nodes has it. Null: none of them has noise, not all were computed, or
// one is not in `references` (null: all of them are).
const v1::SimulatedNode* WorstOutput(const v1::Graph& graph, const v1::Simulation& simulation,
                                     const absl::flat_hash_map<std::string, Tensor>* references = nullptr);

// Its signal to noise.
std::optional<double> WorstOutputDb(const v1::Graph& graph, const v1::Simulation& simulation,
                                    const absl::flat_hash_map<std::string, Tensor>* references = nullptr);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_WORST_OUTPUT_H_
