#include "rules/backends/qnn_htp/executorch/layout.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/qnn_htp/executorch/channels_last.h"
#include "rules/backends/qnn_htp/executorch/partition.h"
#include "rules/backends/qnn_htp/executorch/runs.h"
#include "rules/engine/render.h"
#include "rules/graph/quantizer.h"

namespace quantgate::qnn_htp {
namespace {

// A reader of the node that is laid out anew; -1: there is none. Quantize and Dequantize nodes between the two are
// folded.
int32_t ReachedReader(const Graph& graph, int32_t node, const std::vector<bool>& reached) {
  absl::flat_hash_set<int32_t> seen;
  std::vector<int32_t> open = {node};
  while (!open.empty()) {
    const int32_t at = open.back();
    open.pop_back();
    if (graph.num_outputs(at) == 0 || graph.output(at, 0) < 0) continue;
    for (const Use& use : graph.uses(graph.output(at, 0))) {
      if (reached[use.node]) return use.node;
      if (IsQuantizer(graph, use.node) && seen.insert(use.node).second) open.push_back(use.node);
    }
  }
  return -1;
}

}  // namespace

const RuleInfo kLayoutOfTuple = {
    "EN204",
    "executorch-layout-of-layer-norm",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "The layout pass of ExecuTorch 1.5.1 puts a Transpose behind a layer norm whose reader it lays out anew for a "
    "convolution, a pooling or the like. In its form a layer norm has three results, the Transpose reads all of them, "
    "and the whole lowering ends with \"AttributeError: 'tuple' object has no attribute 'shape'\".",
    "Normalize in the layout of the backend, x.permute(0, 2, 3, 1) in front and the way back behind: a permute stops "
    "the pass.",
    "Fires: aten.layer_norm, relu, then conv2d, with the toolchain executorch. Does not: the same with a permute or a "
    "view in between, or with the toolchain qnn-converter.",
};

void CheckLayout(const CheckContext& context, FindingSink& sink, ModuleResult& result) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return;
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  std::vector<bool> reached;
  for (size_t i = 0; i < ops.size(); ++i) {
    const int32_t node = ops[i].node;
    if (graph.op(node) != OpId::kLayerNorm || !IsDelegated(result.ops[i])) continue;
    if (reached.empty()) {
      // Refused nodes are in no delegate, and nothing goes through them.
      reached = ChannelsLast(graph, [&](int32_t at) { return IsInDelegate(context, result, at); });
    }
    const int32_t reader = ReachedReader(graph, node, reached);
    if (reader < 0) continue;
    Place place;
    place.node = node;
    sink.Add(kLayoutOfTuple, place,
             absl::StrCat("its reader '", NodeName(graph, reader), "' is laid out channels-last"),
             "ExecuTorch 1.5.1 cannot put a Transpose between them", OfTheRuns());
    result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::qnn_htp
