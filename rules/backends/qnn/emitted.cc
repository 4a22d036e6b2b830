#include "rules/backends/qnn/emitted.h"

#include <optional>
#include <vector>

#include "rules/backends/folding.h"
#include "rules/backends/qnn/provider/provider.h"

namespace quantgate::qnn {

Reading ReadingBy(Toolchain toolchain, v1::Graph::Origin origin) {
  const bool folds = toolchain == Toolchain::kExecuTorch && origin == v1::Graph::PT2E;
  return folds ? Reading::kByTensor : Reading::kByUnit;
}

Lowering LowerBy(Toolchain toolchain, const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  if (toolchain == Toolchain::kOnnxRuntime) {
    if (const std::optional<Lowering> lowering = LowerForProvider(context, op, emission)) return *lowering;
  }
  // Only ExecuTorch is known to make an elu of it.
  if (toolchain != Toolchain::kExecuTorch && op.op != nullptr && op.op->id == OpId::kSelu) {
    return NoCounterpart("QNN has no operator for it");
  }
  return Lower(context, op, emission);
}

std::vector<bool> FoldedBy(Toolchain toolchain, const Graph& graph) {
  const bool keeps = toolchain == Toolchain::kOnnxRuntime;
  return FoldedValues(graph, Generators::kFolded, keeps ? Dequantizers::kKept : Dequantizers::kFolded);
}

absl::Status ForEachEmitted(const v1::Graph& message, Toolchain toolchain,
                            const std::function<void(const EmittedNode&)>& visit) {
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  if (!graph.ok()) return graph.status();
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph, ReadingBy(toolchain, message.origin()));
  const CheckContext context(*graph, resolved);
  const std::vector<bool> folded = FoldedBy(toolchain, *graph);
  Emission emission;
  for (const ResolvedOp& op : resolved.ops()) {
    if (IsFolded(*graph, folded, op.node)) continue;
    emission.Clear();
    const Lowering lowering = LowerBy(toolchain, context, op, emission);
    if (lowering.status == Lowering::kFolded) continue;
    const bool emitted = lowering.status == Lowering::kEmitted;
    visit({*graph, op.node, lowering, emitted ? emission.Finish() : absl::Span<const BackendOp>()});
  }
  for (const v1::Graph& body : message.subgraphs()) {
    if (absl::Status status = ForEachEmitted(body, toolchain, visit); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace quantgate::qnn
