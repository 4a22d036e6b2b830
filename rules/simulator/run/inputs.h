// What a graph is fed with: given tensors, or seeded ones from the ranges that the graph records.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_INPUTS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_INPUTS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

struct Inputs {
  absl::flat_hash_map<int32_t, Tensor> tensors;  // by value id
  std::string origin;                            // Simulation.inputs
};

// Tensors of graph inputs by name. Reals for a quantized input are quantized later; integers are taken as stored.
// INVALID_ARGUMENT, with the name (also as payload kInputPayload): one is missing, of another shape, of a type that
// does not go with the graph's, holds NaN or infinity, or is of no input of the graph.
inline constexpr char kInputPayload[] = "quantgate.input";
absl::StatusOr<Inputs> TakeInputs(const Graph& graph, const absl::flat_hash_map<std::string, Tensor>& given);

// The same tensors for the same seed, on every machine. Reals lie in the range of the Quantize behind the input
// (-1..1 where there is none), most of them near its middle as real data is; indices are uniform over what they index.
// Sizes that are not stated are 1. Inputs of types without kernels are left out. RESOURCE_EXHAUSTED: they would take
// more than `max_bytes` together.
absl::StatusOr<Inputs> MakeInputs(const Graph& graph, const ResolvedGraph& resolved, uint64_t seed, int64_t max_bytes);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_INPUTS_H_
