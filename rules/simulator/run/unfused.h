// Which nodes a runtime computes by other arithmetic than the rest: those between Dequantize and Quantize nodes that it
// leaves in float, although it has integer kernels for their operators, and where it fuses none, those that are written
// as integer kernels.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_UNFUSED_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_UNFUSED_H_

#include <vector>

#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/profile.h"

namespace quantgate::simulator {

struct Unfused {
  std::vector<bool> nodes;           // by node; empty: none is known to be
  const Profile* profile = nullptr;  // how those are computed
};

// Of ONNX models under the profiles of ONNX Runtime, as its optimizer decides it (rules/backends/onnxruntime/fusion.h).
Unfused UnfusedOf(const Graph& graph, const ResolvedGraph& resolved, const Profile& profile);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_UNFUSED_H_
