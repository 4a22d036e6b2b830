#include "rules/backends/qnn_htp/executorch_partition.h"

#include <numeric>
#include <utility>
#include <vector>

#include "rules/backends/qnn_htp/executorch_channels_last.h"

namespace quantgate::qnn_htp {
namespace {

// Operators that are connected without a refused one in between.
class Delegates {
 public:
  explicit Delegates(size_t count) : parent_(count), has_input_(count, false) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int32_t Root(int32_t op) {
    while (parent_[op] != op) op = parent_[op] = parent_[parent_[op]];
    return op;
  }
  // The root is the first operator of its delegate in file order.
  void Join(int32_t a, int32_t b) {
    a = Root(a);
    b = Root(b);
    if (a > b) std::swap(a, b);
    parent_[b] = a;
    has_input_[a] = has_input_[a] || has_input_[b];
  }
  void GiveInput(int32_t op) { has_input_[Root(op)] = true; }
  bool HasInput(int32_t op) { return has_input_[Root(op)]; }

 private:
  std::vector<int32_t> parent_;
  std::vector<bool> has_input_;
};

// Identities become no operator: what they pass on comes from the operator in front of them.
bool IsIdentity(const ModuleResult::OpOutcome& op) { return op.checked && !op.refused && op.backend_ops.empty(); }

// By value: the one that identities pass on as it, itself for all others. What is out of order is not followed.
std::vector<int32_t> PassedOn(const Graph& graph, const ResolvedGraph& resolved, const ModuleResult& result) {
  std::vector<int32_t> passed(graph.num_values());
  std::iota(passed.begin(), passed.end(), 0);
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const int32_t node = resolved.ops()[i].node;
    if (!IsIdentity(result.ops[i]) || graph.num_inputs(node) == 0 || graph.input(node, 0) < 0) continue;
    for (int k = 0; k < graph.num_outputs(node); ++k) {
      if (graph.output(node, k) >= 0) passed[graph.output(node, k)] = passed[graph.input(node, 0)];
    }
  }
  return passed;
}

// The operators that ExecuTorch gives operands of their result's rank, by a reshape in front
// (_passes/expand_broadcast_tensor_shape.py of 1.5.1).
bool ReshapesOperands(OpId id) { return id == OpId::kAdd || id == OpId::kSub || id == OpId::kMul || id == OpId::kDiv; }

// A constant of the refused node whose reshape is delegated and has no delegated reader; -1: none.
int32_t ConstantLeftBehind(const Graph& graph, const ResolvedGraph& resolved, const ModuleResult& result,
                           int32_t node) {
  const int rank = RankOfOutput(graph, node);
  if (!ReshapesOperands(graph.op(node)) || rank < 0) return -1;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    if (value < 0 || !graph.is_constant(value) || graph.rank(value) < 0 || graph.rank(value) == rank) continue;
    bool taken = false;
    for (const Use& use : graph.uses(value)) {
      // The others of that rank read the same reshape.
      const int32_t op = resolved.op_of_node(use.node);
      taken =
          taken || op < 0 ||
          (!result.ops[op].refused && ReshapesOperands(graph.op(use.node)) && RankOfOutput(graph, use.node) == rank);
    }
    if (!taken) return value;
  }
  return -1;
}

}  // namespace

bool IsDelegated(const ModuleResult::OpOutcome& op) { return !op.refused && !op.backend_ops.empty(); }

const RuleInfo kDelegateWithoutInput = {
    "CV203",
    "delegate-without-input",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "Refused nodes cut the graph into delegates. One that computes from constants alone, as an attention mask that is "
    "built in the graph does, has no input, and ExecuTorch 1.5.1 ends with \"No graph inputs present for graph\". So "
    "does the reshape that it puts between a constant and an add, sub, mul or div of a higher rank, if that is "
    "refused.",
    "Give the mask to the model as an input or a constant, or change the refused node behind it so that it is "
    "delegated, too.",
    "Fires: arange, unsqueeze, then an index that HTP refuses; a refused add of a vector that is a constant. Does not: "
    "the same behind an index that HTP takes; a refused add of a constant of the result's rank.",
};

void CheckDelegates(const CheckContext& context, FindingSink& sink, ModuleResult& result) {
  const Graph& graph = context.graph();
  const ResolvedGraph& resolved = context.resolved();
  bool any_refused = false;
  for (const ModuleResult::OpOutcome& op : result.ops) any_refused = any_refused || op.refused;
  if (!any_refused) return;
  Delegates delegates(result.ops.size());
  const absl::Span<const ResolvedOp> ops = resolved.ops();
  const std::vector<int32_t> passed = PassedOn(graph, resolved, result);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!IsDelegated(result.ops[i])) continue;
    const auto op = static_cast<int32_t>(i);
    for (int k = 0; k < graph.num_inputs(ops[i].node); ++k) {
      if (graph.input(ops[i].node, k) < 0) continue;
      const int32_t value = passed[graph.input(ops[i].node, k)];
      if (graph.is_constant(value)) continue;
      const int32_t producer = graph.producer(value);
      const int32_t from = producer < 0 ? -1 : resolved.op_of_node(producer);
      if (from >= 0 && IsDelegated(result.ops[from])) {
        delegates.Join(op, from);
        continue;
      }
      // Of the model, from the CPU, or from somewhere that is not known. A generator's output is a constant.
      const bool generated =
          from >= 0 && result.ops[from].checked && !result.ops[from].refused && graph.num_inputs(producer) == 0;
      if (!generated) delegates.GiveInput(op);
    }
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    const auto op = static_cast<int32_t>(i);
    const bool alone = IsDelegated(result.ops[i]) && delegates.Root(op) == op && !delegates.HasInput(op);
    if (!alone && (!result.ops[i].refused || ConstantLeftBehind(graph, resolved, result, ops[i].node) < 0)) continue;
    Place place;
    place.node = ops[i].node;
    FindingSource source;
    source.kind = v1::Source::MEASURED;
    source.document = "ExecuTorch 1.5.1, run";
    sink.Add(kDelegateWithoutInput, place,
             alone ? "the delegate that begins here computes from constants alone"
                   : "what brings its constant to the rank of the result is a delegate of its own",
             "ExecuTorch 1.5.1 needs an input for each", std::move(source));
    result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::qnn_htp
