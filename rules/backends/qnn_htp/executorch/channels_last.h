// Which nodes ExecuTorch lays out channels-last. Its layout pass (backends/qualcomm/_passes/layout_transform.py of
// 1.5.1) starts at operators that QNN has for channels-last tensors alone, and goes on through those that do not mind,
// up and down the graph, until it meets another. It runs on the whole graph before the partitioner asks about its
// nodes, and once more on each delegate.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_CHANNELS_LAST_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_CHANNELS_LAST_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "rules/graph/graph.h"

namespace quantgate::qnn_htp {

// Rank of the node's first output; -1: not known.
int RankOfOutput(const Graph& graph, int32_t node);

// By node: laid out anew. The pass sees those nodes that are `there`, and goes through no other. Linear time.
std::vector<bool> ChannelsLast(const Graph& graph, absl::FunctionRef<bool(int32_t node)> there);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_CHANNELS_LAST_H_
