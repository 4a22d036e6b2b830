#include "rules/backends/qnn/emitted.h"

#include <vector>

#include "rules/backends/folding.h"

namespace quantgate::qnn {

Reading ReadingBy(Toolchain toolchain, v1::Graph::Origin origin) {
  const bool folds = toolchain == Toolchain::kExecuTorch && origin == v1::Graph::PT2E;
  return folds ? Reading::kByTensor : Reading::kByUnit;
}

absl::Status ForEachEmitted(const v1::Graph& message, Reading reading,
                            const std::function<void(const EmittedNode&)>& visit) {
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  if (!graph.ok()) return graph.status();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph, reading);
  const CheckContext context(*graph, resolved);
  const std::vector<bool> folded = FoldedValues(*graph);
  Emission emission;
  for (const ResolvedOp& op : resolved.ops()) {
    if (IsFolded(*graph, folded, op.node)) continue;
    emission.Clear();
    const Lowering lowering = Lower(context, op, emission);
    if (lowering.status == Lowering::kFolded) continue;
    const bool emitted = lowering.status == Lowering::kEmitted;
    visit({*graph, op.node, lowering, emitted ? emission.Finish() : absl::Span<const BackendOp>()});
  }
  for (const v1::Graph& body : message.subgraphs()) {
    if (absl::Status status = ForEachEmitted(body, reading, visit); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace quantgate::qnn
