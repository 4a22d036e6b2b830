// What a whole graph becomes in QNN's terms, for those who want the operators themselves and not a verdict on them.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_EMITTED_H_
#define QUANTGATE_RULES_BACKENDS_QNN_EMITTED_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/backends/emission.h"
#include "rules/backends/qnn/lowering.h"
#include "rules/constraints/backend_op.h"
#include "rules/engine/context.h"
#include "rules/engine/toolchain.h"
#include "rules/graph/resolve.h"

namespace quantgate::qnn {

// One node that is not folded away. `ops` is empty unless the lowering's status is kEmitted, and valid during the call.
struct EmittedNode {
  const Graph& graph;  // the one that holds the node: the model's, or the body of a control-flow node
  int32_t node;
  Lowering lowering;
  absl::Span<const BackendOp> ops;
};

// How the toolchain reads graphs of that origin on their way to QNN. ExecuTorch's passes fold every Dequantize and
// Quantize between nodes into the tensors (backends/qualcomm/_passes/annotate_quant_attrs.py, fold_qdq.py): what is
// left of a converted graph is as annotated.
Reading ReadingBy(Toolchain toolchain, v1::Graph::Origin origin);

// What the toolchain makes of one operator.
Lowering LowerBy(Toolchain toolchain, const CheckContext& context, const ResolvedOp& op, Emission& emission);

// Values of the graph that are constants once the toolchain has folded it.
std::vector<bool> FoldedBy(Toolchain toolchain, const Graph& graph);

// Calls `visit` in the order in which a check judges: the main graph, then bodies depth first. INVALID_ARGUMENT: the
// graph is malformed.
absl::Status ForEachEmitted(const v1::Graph& graph, Toolchain toolchain,
                            const std::function<void(const EmittedNode&)>& visit);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_EMITTED_H_
