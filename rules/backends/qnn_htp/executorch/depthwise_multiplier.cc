#include "rules/backends/qnn_htp/executorch/depthwise_multiplier.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn/removed.h"
#include "rules/backends/qnn_htp/executorch/channels_last.h"
#include "rules/backends/qnn_htp/executorch/partition.h"
#include "rules/backends/qnn_htp/executorch/runs.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"

namespace quantgate::qnn_htp {

const RuleInfo kDepthwiseMultiplier = {
    "EN237",
    "executorch-depthwise-multiplier",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The kernel of a quantized depthwise convolution with several outputs for each input leaves them in an order from "
    "which neither a Transpose to channels first nor a Concat can be made, be there activations, slices or padding in "
    "between. ExecuTorch 1.5.1 puts that Transpose at the end of what it lays out channels-last. Each operator is "
    "validated, and preparing the graph ends with \"could not create op: q::Transpose.2D\".",
    "Put a convolution, a pooling or a resize behind it before the result leaves the delegate, or write it as a "
    "convolution with groups of two channels or more.",
    "Fires: aten.conv2d of 4 channels in 4 groups to 8 channels as the last operator, or with a relu behind it. Does "
    "not: the same to 4 channels; with a conv2d of one group behind it; with weights of 16 bits.",
};

namespace {

constexpr int64_t kFewestGroups = 3;  // of two groups ExecuTorch makes a grouped convolution

// Outputs for each input; 1: not such a convolution.
int64_t MultiplierOf(const NodeView& view) {
  const Operand* input = view.input(0);
  const Operand* weight = view.input(1);
  if (view.op().op == nullptr || view.op().op->id != OpId::kConv || input == nullptr || weight == nullptr) return 1;
  if (!input->quantized || !weight->quantized || view.rank(weight) != 4 || view.dim(weight, 1) != 1) return 1;
  if (weight->type == v1::DATA_TYPE_INT16 || weight->type == v1::DATA_TYPE_UINT16) return 1;
  const int64_t groups = view.integer({"groups"}).value_or(1);
  if (groups < kFewestGroups || view.dim(weight, 0) / groups < 2) return 1;
  const std::optional<IntVector> dilation = view.integers({"dilation"});
  const bool dilated = dilation && absl::c_any_of(*dilation, [](int64_t step) { return step != 1; });
  return dilated ? 1 : view.dim(weight, 0) / groups;
}

// Computed from one tensor that is not known beforehand, element by element, or with parts of it left out or added. Of
// a Prelu the library was not asked.
bool KeepsOrder(const CheckContext& context, const ResolvedOp& op) {
  if (op.op == nullptr || op.op->id == OpId::kPRelu) return false;
  const bool moves = op.op->id == OpId::kSlice || op.op->id == OpId::kPad || op.op->id == OpId::kIdentity;
  if (!moves && (op.op->traits & kElementwise) == 0) return false;
  int32_t read = -1;
  for (const Operand& input : context.resolved().inputs(op)) {
    if (!input.present || input.static_chain) continue;
    if (read >= 0 && read != input.value) return false;
    read = input.value;
  }
  return read >= 0;
}

// Walks from a convolution to where its result is brought back.
class WayBack {
 public:
  WayBack(const CheckContext& context, const ModuleResult& result)
      : context_(context),
        result_(result),
        reached_(ChannelsLast(context.graph(), [&](int32_t node) { return IsInDelegate(context, result, node); })) {}

  // The last operator before the result is brought back, `node` itself included, or the one that joins it with others;
  // -1: it is not. What is behind one convolution is behind no other: each node has one input to come from.
  int32_t EndBehind(int32_t node) const {
    const Graph& graph = context_.graph();
    absl::flat_hash_set<int32_t> seen = {node};
    std::vector<std::pair<int32_t, int32_t>> open = {{node, node}};  // a node, and the last operator on the way to it
    while (!open.empty()) {
      const auto [at, last] = open.back();
      open.pop_back();
      if (Leaves(at)) return last;
      for (int i = 0; i < graph.num_outputs(at); ++i) {
        if (graph.output(at, i) < 0) continue;
        for (const Use& use : graph.uses(graph.output(at, i))) {
          const int32_t op = context_.resolved().op_of_node(use.node);
          if (op < 0) {
            const bool is_data = graph.num_inputs(use.node) > 0 && graph.input(use.node, 0) == graph.output(at, i);
            if (is_data && seen.insert(use.node).second) open.emplace_back(use.node, last);
            continue;
          }
          if (!reached_[use.node] && !qnn::IsRemoved(graph, use.node)) continue;
          if (graph.op(use.node) == OpId::kConcat) return use.node;
          if (KeepsOrder(context_, context_.resolved().ops()[op]) && seen.insert(use.node).second) {
            open.emplace_back(use.node, use.node);
          }
        }
      }
    }
    return -1;
  }

 private:
  // Its result goes to the caller, or to a node on the CPU.
  bool Leaves(int32_t node) const {
    const Graph& graph = context_.graph();
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      const int32_t value = graph.output(node, i);
      if (value < 0) continue;
      if (graph.is_graph_output(value)) return true;
      const auto is_outside = [this](const Use& use) { return !IsInDelegate(context_, result_, use.node); };
      if (absl::c_any_of(graph.uses(value), is_outside)) return true;
    }
    return false;
  }

  const CheckContext& context_;
  const ModuleResult& result_;
  const std::vector<bool> reached_;
};

}  // namespace

void CheckDepthwiseMultiplier(const CheckContext& context, FindingSink& sink, ModuleResult& result) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return;
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  const auto multiplier_of = [&](int32_t op) { return MultiplierOf(NodeView(context, ops[op], nullptr)); };
  const auto has_multiplier = [&](int32_t op) { return multiplier_of(op) > 1; };
  if (absl::c_none_of(context.resolved().unlike_ops(), has_multiplier)) return;
  std::optional<WayBack> way;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!IsDelegated(result.ops[i])) continue;
    const int64_t multiplier = multiplier_of(static_cast<int32_t>(i));
    if (multiplier < 2) continue;
    if (!way) way.emplace(context, result);
    const int32_t end = way->EndBehind(ops[i].node);
    if (end < 0) continue;
    Place place;
    place.node = ops[i].node;
    sink.Add(kDepthwiseMultiplier, place, absl::StrCat(multiplier, " outputs for each input"),
             absl::StrCat("HTP prepares only one where the result leaves the channels-last layout at '",
                          NodeName(graph, end), "'"),
             OfTheRuns());
    result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::qnn_htp
