#include "rules/backends/qnn_htp/executorch_partition.h"

#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "rules/backends/qnn_htp/executorch_channels_last.h"
#include "rules/graph/data_type.h"

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

// Constants that a delegated operator does not read, but whose reshape in front of a refused one is delegated
// (executorch_channels_last.h, ReshapesOperands).
class ReshapedConstants {
 public:
  ReshapedConstants(const Graph& graph, const ResolvedGraph& resolved, const ModuleResult& result)
      : graph_(graph), resolved_(resolved), result_(result) {}

  // Whether the refused node has one.
  bool IsLeftBehindBy(int32_t node) {
    const int rank = RankOfOutput(graph_, node);
    if (!ReshapesOperands(graph_.op(node)) || rank < 0) return false;
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      if (value < 0 || !graph_.is_constant(value) || graph_.rank(value) < 0 || graph_.rank(value) == rank) continue;
      // One that is not of real numbers is cast first; such delegates were seen to be built.
      if (!::quantgate::IsFloat(graph_.dtype(value))) continue;
      // Once for all that read it: a graph may have one constant in all of its nodes.
      const auto [known, is_new] = is_read_.try_emplace({value, rank}, false);
      if (is_new) known->second = IsRead(value, rank);
      if (!known->second) return true;
    }
    return false;
  }

 private:
  // By a delegated operator. The others of that rank read the same reshape.
  bool IsRead(int32_t value, int rank) const {
    return absl::c_any_of(graph_.uses(value), [&](const Use& use) {
      const int32_t op = resolved_.op_of_node(use.node);
      return op < 0 || (!result_.ops[op].refused && ReshapesOperands(graph_.op(use.node)) &&
                        RankOfOutput(graph_, use.node) == rank);
    });
  }

  const Graph& graph_;
  const ResolvedGraph& resolved_;
  const ModuleResult& result_;
  absl::flat_hash_map<std::pair<int32_t, int>, bool> is_read_;  // by value, and rank that it is brought to
};

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
  ReshapedConstants constants(graph, resolved, result);
  for (size_t i = 0; i < ops.size(); ++i) {
    const auto op = static_cast<int32_t>(i);
    const bool alone = IsDelegated(result.ops[i]) && delegates.Root(op) == op && !delegates.HasInput(op);
    if (!alone && !(result.ops[i].refused && constants.IsLeftBehindBy(ops[i].node))) continue;
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
