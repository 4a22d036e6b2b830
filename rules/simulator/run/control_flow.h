// Nodes that run other graphs: branches and loops. A body is simulated as a graph of its own.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_CONTROL_FLOW_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_CONTROL_FLOW_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rules/graph/graph.h"
#include "rules/simulator/run/simulate.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// ONNX's If and Loop, LiteRT's IF and WHILE.
bool IsControlFlow(const Graph& graph, int32_t node);

// Values of `graph` that the bodies of its node read.
std::vector<int32_t> CapturedValues(const Graph& graph, int32_t node);

// The node's outputs, as the profile of `options` computes them. `arguments`: by position, null where omitted.
// `captured`: a value of `graph`, null where it is not known. UNIMPLEMENTED: a form, or a node of a body, that is not
// computed, or a loop that does not end.
absl::StatusOr<std::vector<Tensor>> RunControlFlow(const Graph& graph, int32_t node,
                                                   absl::Span<const Tensor* const> arguments,
                                                   const std::function<const Tensor*(int32_t value)>& captured,
                                                   const SimulateOptions& options);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_CONTROL_FLOW_H_
