#include "rules/simulator/run/worst_output.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "rules/simulator/run/simulate.h"

namespace quantgate::simulator {

std::vector<std::vector<absl::string_view>> OutputValues(const v1::Graph& graph) {
  absl::flat_hash_map<int32_t, int32_t> stored;
  for (const v1::Node& node : graph.nodes()) {
    if (node.inputs_size() > 0 && node.outputs_size() > 0) stored[node.outputs(0)] = node.inputs(0);
  }
  std::vector<std::vector<absl::string_view>> ends;
  for (int32_t output : graph.outputs()) {
    std::vector<absl::string_view>& end = ends.emplace_back();
    for (int step = 0; step < 2 && output > 0 && output <= graph.values_size(); ++step) {
      end.push_back(graph.values(output - 1).name());
      const auto behind = stored.find(output);
      output = behind == stored.end() ? 0 : behind->second;
    }
  }
  return ends;
}

const v1::SimulatedNode* WorstOutput(const v1::Graph& graph, const v1::Simulation& simulation,
                                     const absl::flat_hash_map<std::string, Tensor>* references) {
  absl::flat_hash_map<absl::string_view, const v1::SimulatedNode*> by_value;
  for (const v1::SimulatedNode& node : simulation.nodes()) {
    if (absl::StartsWith(node.float_reason(), kNotComputed)) return nullptr;
    by_value[node.value()] = &node;
  }
  const v1::SimulatedNode* worst = nullptr;
  for (const std::vector<absl::string_view>& end : OutputValues(graph)) {
    const auto listed =
        std::find_if(end.begin(), end.end(), [&](absl::string_view name) { return by_value.contains(name); });
    if (listed == end.end()) continue;
    if (references != nullptr && !references->contains(*listed)) return nullptr;
    const v1::SimulatedNode* node = by_value.at(*listed);
    if (node->has_sqnr_db() && (worst == nullptr || node->sqnr_db() < worst->sqnr_db())) worst = node;
  }
  return worst;
}

std::optional<double> WorstOutputDb(const v1::Graph& graph, const v1::Simulation& simulation,
                                    const absl::flat_hash_map<std::string, Tensor>* references) {
  const v1::SimulatedNode* worst = WorstOutput(graph, simulation, references);
  return worst == nullptr ? std::nullopt : std::optional<double>(worst->sqnr_db());
}

}  // namespace quantgate::simulator
