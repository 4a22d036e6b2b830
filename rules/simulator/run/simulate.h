// Runs a graph through integer kernels the way a profile's runtime does, beside a float reference.
//
// Three results are kept of every value. The reference is what the operators compute on real numbers, Quantize and
// Dequantize being nothing. Real space is the reference with every quantized tensor rounded to its grid
// ("fake-quantized"). Affine space is integers through the profile's kernels. The error of a node is what affine space
// is away from the reference; its own error is what its stored result is away from the real numbers that the operator
// makes of the operands that affine space has: what the node adds, apart from what it inherited.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_SIMULATE_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_SIMULATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/simulation.pb.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/profile.h"
#include "rules/simulator/run/inputs.h"
#include "rules/simulator/run/work.h"

namespace quantgate::simulator {

struct SimulateOptions {
  const Profile* profile = nullptr;  // must be there
  // false: affine space alone, and of each node nothing but its name.
  bool statistics = true;
  // false: no real space, and nothing is said about its difference from affine space.
  bool real_space = true;
  // A node's results are computed at the same time on as many threads, up to three; they are the same for each number.
  int threads = 1;
  // Of all tensors that are held at one time, weights included.
  int64_t max_bytes = int64_t{4} << 30;
  // Each value of affine space by name, as it is computed, inputs first: integers where it is quantized.
  std::function<void(const std::string& name, const Tensor& tensor)> on_value;
  // The reference of each value that has a name, likewise; with statistics alone.
  std::function<void(const std::string& name, const Tensor& tensor)> on_reference;
  // What named values are measured against instead of this graph's own reference. A graph whose weights were rounded
  // anew is measured so against the one that they were taken from.
  const absl::flat_hash_map<std::string, Tensor>* references = nullptr;
  // Filled with affine space's results of the graph, where it is there; one that is not computed is UNIMPLEMENTED.
  std::vector<Tensor>* outputs = nullptr;
  // Called before each node.
  std::function<void(int done, int total)> progress;
  // Asked before each node: true ends the simulation, which is then CANCELLED.
  std::function<bool()> cancelled;
  // Shared with the graph around a body; null: a run of its own.
  std::shared_ptr<WorkBudget> work;
};

// INVALID_ARGUMENT, with the node: the graph's tensors do not go together. INVALID_ARGUMENT as well: a graph whose
// quantization is in an encodings file, of which the float model would be run. RESOURCE_EXHAUSTED: the bytes that were
// too many, or the multiplications. A node without a kernel, and what reads its results, is not computed; the
// simulation says so.
absl::StatusOr<v1::Simulation> Simulate(const Graph& graph, const ResolvedGraph& resolved, Inputs inputs,
                                        const SimulateOptions& options);

// Float reasons of nodes that were not computed begin so.
inline constexpr absl::string_view kNotComputed = "not computed: ";

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_SIMULATE_H_
