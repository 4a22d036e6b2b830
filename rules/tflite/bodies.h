// What contradicts itself between a branch or a loop of a LiteRT model and the subgraphs that it runs.
#ifndef QUANTGATE_RULES_TFLITE_BODIES_H_
#define QUANTGATE_RULES_TFLITE_BODIES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/graph/node_shapes.h"

namespace quantgate {

// Which subgraphs run which, by the numbers of the file.
class SubgraphCalls {
 public:
  explicit SubgraphCalls(const v1::Graph& model);

  // A subgraph that is run inside of itself, of those that `number` comes to run; 0: there is none.
  int32_t Endless(int64_t number) const {
    return number < 1 || number >= static_cast<int64_t>(endless_.size()) ? 0 : endless_[number];
  }

 private:
  std::vector<int32_t> endless_;
};

bool RunsBodies(absl::string_view op_type);

// Notes what contradicts itself at the node, which runs bodies: of `model`, whichever of its graphs the node is in.
// `calls` null: whether they end is asked at other nodes.
void CheckBodies(const v1::Graph& model, const SubgraphCalls* calls, NodeShapes& node);

// The subgraph that an option of the node names; null: none that is a body.
const v1::Graph* BodyAt(const v1::Graph& model, const Graph& graph, int32_t node, absl::string_view option);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_BODIES_H_
